/*
 * sent_model.h
 *		A model on the nodes of a cluster, which rank with it.
 */
#ifndef HKG_MODEL_SENT_MODEL_H
#define HKG_MODEL_SENT_MODEL_H

#include "server/compat.h"

#include "model_evidence.h"

/*
 * The version of a model, in the current context: on a worker, that of the model which was sent.  NULL: there is no
 * such model.
 */
extern char *model_version(const Graph *graph, const char *model);
extern bool model_has_version(const Graph *graph, const char *model, const char *version);

/*
 * Whether the nodes have that version of the model; it is sent where they have another one, or none.  False where the
 * caller may not do that, or this transaction only reads.
 */
extern bool model_send(const Graph *graph, const char *model, const char *version);

/*
 * What questions with evidence of that kind would take one thread of this server, about; the model has such evidence.
 * kge: its score function, dimensions and entities are used; NULL: it has no embeddings.  walks: by which its path
 * network answers a question; 0: it has none.
 */
extern double model_question_seconds(const KgeModel *kge, bool has_rules, int walks, EvKind kind, int64 questions);

#endif							/* HKG_MODEL_SENT_MODEL_H */
