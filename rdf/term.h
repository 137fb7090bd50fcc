/*
 * term.h
 *		What reading and writing of RDF share.
 */
#ifndef HKG_RDF_TERM_H
#define HKG_RDF_TERM_H

/* ERROR 22023 where an argument that has to be an absolute IRI is none; it is in the server's encoding. */
extern void rdf_check_base(const char *base);

#endif							/* HKG_RDF_TERM_H */
