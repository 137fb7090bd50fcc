/*
 * predictor.c
 *		A model and the evidence that a call wants of it: scores and probabilities of triples.
 */
#include "predictor.h"

#include "model_cache.h"
#include "server/argument.h"
#include "server/growing_array.h"
#include "server/host.h"

EvKind
argument_evidence(FunctionCallInfo fcinfo, int i)
{
	return (EvKind) argument_choice(argument_text(fcinfo, i, "evidence"), "evidence", evidence_kinds);
}

EvKind
evidence_kind(const Evidence *evidence, EvKind kind, const char *model)
{
	if (evidence != NULL)
		return kind;
	if (kind == EV_RULES)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("model \"%s\" has no evidence of rules", model),
				 errhint("Train it with evidence_rules above 0, or call hkg_learn_evidence.")));
	return EV_EMBEDDING;
}

Predictor
predictor_open(Graph *graph, const char *model, EvKind kind)
{
	Predictor	predictor = {.model = model_open(graph, model)};

	if (kind != EV_EMBEDDING)
		predictor.evidence = model_evidence(graph, predictor.model, &predictor.answering,
											&predictor.evidence_serial);
	predictor.kind = evidence_kind(predictor.evidence, kind, model);
	return predictor;
}

bool
predictor_is_reflexive(const Predictor *predictor, Graph *graph, int32 relation)
{
	if (predictor->evidence != NULL)
		return predictor->evidence->facts.reflexive[relation];
	return graph_is_reflexive(graph, predictor->model->relation_id[relation]);
}

ScoreParts
predictor_parts(const Predictor *predictor, Triple triple)
{
	ScoreParts	parts = {predictor->kind == EV_RULES ? 0 : kge_score(&predictor->model->kge, triple), 0};
	const EvCandidate *candidate;

	if (predictor->kind == EV_EMBEDDING)
		return parts;
	ev_answer(predictor->answering, SIDE_TAIL, triple.head, triple.relation, hkg_leader(), POOL_LEADER, &candidate);
	candidate = ev_candidate(predictor->answering, triple.tail);
	if (candidate != NULL)
		parts.evidence = evidence_of_candidate(predictor->evidence, predictor->kind, candidate);
	return parts;
}

double
predictor_score(const Predictor *predictor, Side side, int32 relation, ScoreParts parts)
{
	int32		key = 2 * relation + (int32) side;

	switch (predictor->kind)
	{
		case EV_EMBEDDING:
			return parts.phi;
		case EV_RULES:
			return parts.evidence;
		default:
			return predictor->evidence->weights.scale[key] *
				(parts.phi + predictor->evidence->weights.weight[key] * parts.evidence);
	}
}

double
predictor_probability(const Predictor *predictor, Side side, int32 relation, EvJudged judged)
{
	return ev_probability(&model_calibration(predictor->model, predictor->kind, relation, side)->ranked, judged);
}

double
predictor_probability_alone(const Predictor *predictor, int32 relation, EvJudged judged)
{
	return ev_probability(&model_calibration(predictor->model, predictor->kind, relation, SIDE_TAIL)->alone, judged);
}

/* ---- many triples ------------------------------------------------------------------ */

/* A model that scores everything 0, to which rules alone add. */
static KgeModel
zero_model(int32 entities, int32 relations)
{
	KgeModel	kge = {
		.function = kge_score_function("distmult"),
		.dimensions = 1,
		.norm = 1,
		.entities = entities,
		.relations = relations
	};

	kge.entity = array_new_zero(float, entities);
	kge.relation = array_new_zero(float, relations);
	return kge;
}

void
scoring_open(const Evidence *evidence, EvKind kind, KgeModel kge, int threads, Scoring *scoring)
{
	*scoring = (Scoring) {.kge = kind == EV_RULES ? zero_model(kge.entities, kge.relations) : kge};
	if (kind == EV_EMBEDDING)
		return;
	scoring->evidence = evidence_adjustment(evidence, kind, threads, &scoring->adjuster);
	scoring->adjustment = &scoring->evidence;
}
