/*
 * predictor.c
 *		A model and the evidence that a call asks for: scores and probabilities of triples.
 */
#include "predictor.h"

#include <math.h>

#include "core/search.h"
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
	if (kind == EV_RULES && !evidence_has_kind(evidence, EV_RULES))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("model \"%s\" has no evidence of rules", model),
				 errhint("Train it with evidence_rules above 0, or call hkg_learn_evidence.")));
	if (kind == EV_NETWORK && !evidence_has_kind(evidence, EV_NETWORK))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("model \"%s\" has no path network", model),
				 errhint("Train it with paths => true.")));
	return evidence == NULL ? EV_EMBEDDING : kind;
}

Predictor
predictor_open(Graph *graph, const char *model, EvKind kind)
{
	const Model *opened = model_open(graph, model);

	return predictor_of(opened, model_facts(graph, opened, kind != EV_EMBEDDING), kind);
}

Predictor
predictor_of(const Model *model, ModelFacts facts, EvKind kind)
{
	Predictor	predictor = {
		.model = model,
		.kge = added_entities_model(facts.added),
		.added = facts.added,
		.rejected = facts.rejected,
		.evidence = kind == EV_EMBEDDING ? NULL : facts.evidence,
		.answering = facts.answering,
		.facts_serial = facts.serial
	};

	predictor.kind = evidence_kind(predictor.evidence, kind, model->name);
	if (predictor.kind == EV_EMBEDDING)
		model_require_entities(model);
	return predictor;
}

void
predictor_require_rejected(const Predictor *predictor, const Graph *graph)
{
	static const TableRights read[] = {{"triple", ACL_SELECT}, {"rejected", ACL_SELECT}};

	if (predictor->rejected == NULL)
		graph_require_rights(graph, read, lengthof(read));
}

const FactIndex *
predictor_facts(const Predictor *predictor, Graph *graph)
{
	FactIndex  *facts;

	if (predictor->evidence != NULL)
		return &predictor->evidence->facts;
	facts = &evidence_of_facts(graph, predictor->added)->facts;
	facts->answers = predictor->kge.answers;
	return facts;
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
	return predictor_parts_on(predictor, SIDE_TAIL, triple,
							  ev_uses_embedding(predictor->kind) ? kge_score(&predictor->kge, triple) : 0);
}

KgeExactScore
predictor_exact_score(const Predictor *predictor)
{
	const KgeModel *kge = &predictor->kge;

	if (!ev_uses_embedding(predictor->kind))
		return (KgeExactScore) {0};
	return (KgeExactScore) {.model = kge,.relation = -1,.head = -1,.prepared = array_new(double, kge_exact_numbers(kge))};
}

/* What the embedding is expected to score new entities among the candidates with evidence (ev_expected) */
static EvExpected
predictor_expected(const Predictor *predictor, Side side, int32 given, int32 relation, EvCandidates candidates)
{
	const Evidence *evidence = predictor->evidence;
	KgeAdjustment weighing;
	Arena		arena = hkg_arena();
	EvExpected	expected;
	MemoryContext caller;

	if (predictor->kind != EV_BOTH || evidence->is_new == NULL)
		return (EvExpected) {0};
	weighing = ev_weighing(&evidence->weights);
	if (!(kge_adjustment_weight(&weighing, relation, side) > 0))
		return (EvExpected) {0};
	/* one call asks for many of these */
	caller = MemoryContextSwitchTo(AllocSetContextCreate(CurrentMemoryContext, "hybridkg expected scores",
														 ALLOCSET_DEFAULT_SIZES));
	expected = ev_expected(&evidence->facts, evidence->is_new, candidates, &evidence->weights,
						   &(Question) {.side = side,.relation = relation,.given = given},
						   kge_scorer(&arena, &predictor->kge, NULL), hkg_leader(), POOL_LEADER);
	MemoryContextDelete(MemoryContextSwitchTo(caller));
	return expected;
}

ScoreParts
predictor_parts_on(const Predictor *predictor, Side side, Triple triple, double phi)
{
	int32		given = triple_given(&triple, side);
	int32		answer = triple_answer(&triple, side);
	ScoreParts	parts = {phi, 0};
	const EvCandidate *candidate;
	EvCandidates all;

	if (predictor->kind == EV_EMBEDDING)
		return parts;
	all.count = ev_answer(predictor->answering, predictor->kind, question_of(side, given, triple.relation), hkg_leader(),
						  POOL_LEADER, &all.candidate);
	candidate = ev_candidate(predictor->answering, answer);
	if (candidate == NULL)
		return parts;
	parts.evidence = evidence_of_candidate(predictor->evidence, predictor->kind, triple.relation, side, candidate);
	if (answer >= predictor->kge.entities)
	{
		EvExpected	expected = predictor_expected(predictor, side, given, triple.relation, all);

		if (expected.found && predictor->evidence->is_new[answer])
			parts.phi = ev_expected_score(&expected, phi, parts.evidence);
	}
	return parts;
}

double
predictor_score(const Predictor *predictor, Side side, int32 relation, ScoreParts parts)
{
	if (predictor->evidence == NULL)
		return parts.phi;
	return ev_score(&predictor->evidence->weights, predictor->kind, 2 * relation + (int32) side, parts.phi, parts.evidence);
}

bool
predictor_knows_probabilities(const Predictor *predictor)
{
	for (int32 relation = 0; relation < predictor->model->kge.relations; relation++)
		if (!isnan(model_calibration(predictor->model, predictor->kind, relation, SIDE_TAIL)->ranked.slope) ||
			!isnan(model_calibration(predictor->model, predictor->kind, relation, SIDE_HEAD)->ranked.slope))
			return true;
	return false;
}

int64
predictor_excluded(const Predictor *predictor, const FactIndex *facts, Side side, int32 given, int32 relation)
{
	return known_answers(facts, side, given, relation) + rejected_answers_count(predictor->rejected, side, given, relation);
}

Question
predictor_question(const Predictor *predictor, const FactIndex *facts, Side side, int32 given, int32 relation, int32 *row)
{
	FactGroup	known = fact_group(facts, given, asked_atom(relation, side));

	for (int64 i = known.first; i < known.end; i++)
		row[i - known.first] = facts->edge[i].other;
	return (Question) {side, given, relation, row,
		rejected_answers_merge(predictor->rejected, side, given, relation, row, known.end - known.first)};
}

EvQuestionScores
predictor_question_scores(const Predictor *predictor, const Question *question, bool reflexive, const int32 *known,
						  int64 known_count, const KgeAnswer *answer, int64 count)
{
	const EvCalibration *calibration = &model_calibration(predictor->model, predictor->kind, question->relation,
														  question->side)->ranked;
	const AnswerSet *answers = predictor->kge.answers == NULL ? NULL :
		&predictor->kge.answers[2 * question->relation + (int32) question->side];
	EvQuestionScores scores = {.entities = answers == NULL || answers->bit == NULL ? predictor->kge.entities : answers->count,
	.known = known_count};

	for (int64 i = 0; i < count && scores.shown < EV_SHOWN; i++)
	{
		if ((!ev_uses_embedding(predictor->kind) && answer[i].addition == 0) ||
			(!reflexive && answer[i].row == question->given) ||
			(known != NULL && has_int32(known, 0, known_count, answer[i].row)))
			continue;
		ev_show_score(calibration, &scores, answer[i].score);
	}
	return scores;
}

double
predictor_probability(const Predictor *predictor, Side side, int32 relation, EvJudged judged)
{
	return ev_probability(&model_calibration(predictor->model, predictor->kind, relation, side)->ranked, judged);
}

double
predictor_probability_by_both(const Predictor *predictor, int32 relation, double by_head, double by_tail)
{
	bool		one_head = model_calibration(predictor->model, predictor->kind, relation, SIDE_HEAD)->ranked.exclusive;
	bool		one_tail = model_calibration(predictor->model, predictor->kind, relation, SIDE_TAIL)->ranked.exclusive;

	if (one_head != one_tail)
		return one_head ? by_head : by_tail;
	return ev_probability_by_both(by_head, by_tail);
}

double
predictor_score_needed(const Predictor *predictor, Side side, int32 relation, int64 known, double last, double probability)
{
	return ev_score_needed(&model_calibration(predictor->model, predictor->kind, relation, side)->ranked, known, last,
						   probability);
}

double
predictor_probability_alone(const Predictor *predictor, int32 relation, EvJudged judged)
{
	return ev_probability(&model_calibration(predictor->model, predictor->kind, relation, SIDE_TAIL)->alone, judged);
}

bool
predictor_is_probable(const Predictor *predictor, const FactIndex *facts, Triple triple, ScoreParts parts)
{
	FactGroup	known = fact_group(facts, triple.head, FORWARDS(triple.relation));
	bool		is_fact = fact_holds(facts, triple.head, FORWARDS(triple.relation), triple.tail);
	EvJudged	judged = {
		.score = predictor_score(predictor, SIDE_TAIL, triple.relation, parts),
		.phi = parts.phi,
		.evidence = parts.evidence,
		.question = {.known = known.end - known.first - is_fact}
	};

	/* without the embedding, what has no evidence is no answer */
	return (ev_uses_embedding(predictor->kind) || parts.evidence > 0) &&
		predictor_probability_alone(predictor, triple.relation, judged) >= 0.5;
}

/* ---- many triples ------------------------------------------------------------------ */

/* A model that scores everything 0, to which evidence alone adds. */
static KgeModel
zero_model(int32 entities, int32 relations, const AnswerSet *answers)
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
	kge.answers = answers;
	return kge;
}

void
scoring_open(const Evidence *evidence, EvKind kind, KgeModel kge, int threads, Scoring *scoring)
{
	*scoring = (Scoring) {.kge = ev_uses_embedding(kind) ? kge :
		zero_model(kge.entities, kge.relations, kge.answers)};
	if (kind == EV_EMBEDDING)
		return;
	scoring->evidence = evidence_adjustment(evidence, kind, threads, &scoring->adjuster);
	scoring->adjustment = &scoring->evidence;
	if (kind == EV_BOTH)
		evidence_expect(evidence, &scoring->adjuster, &scoring->kge);
}
