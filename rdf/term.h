/*
 * term.h
 *		What reading and writing of RDF share.
 */
#ifndef HKG_RDF_TERM_H
#define HKG_RDF_TERM_H

/* ERROR 22023: an argument that has to be an absolute IRI is none. */
extern void rdf_refuse_base(const char *base) pg_attribute_noreturn();

#endif							/* HKG_RDF_TERM_H */
