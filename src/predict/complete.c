/*
 * complete.c
 *		hkg_complete: the most probable missing facts of a graph, each with its best rule.
 *
 * Each relation is asked about in both directions: for the tails of heads, and for the heads of tails.  Heads are those
 * that have a fact of the relation, and those much like them (evidence/question_domain.c); tails likewise.  src/kge
 * finds the facts, best_rule.c the rules.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "server/argument.h"
#include "server/array.h"
#include "best_rule.h"
#include "core/heap.h"
#include "model/predictor.h"
#include "server/host.h"
#include "graph/call.h"
#include "server/growing_array.h"

#define TOO_PROBABLE 2			/* for any missing fact */
#define LIKELY	64				/* frequent answers of a relation that are scored first */

/* ---- questions ------------------------------------------------------------------------- */

/* The questions that are asked: of each relation, for either side, about the entities that such questions are about */
typedef struct MissingQuestions
{
	const Predictor *predictor;
	const EvFacts *facts;
	EvDomainFinder *finder;
	int32		first;			/* relations first .. end - 1 */
	int32		end;
	int64		count;			/* of all questions */
	int64		most;			/* of one relation and side */
	int64		most_known;		/* answers of those */
	KgeQuestionAnswers *question;	/* of one relation and side */
	int32	   *known;
	int32		likely[LIKELY];
} MissingQuestions;

static DirectedAtom
atom_of(int32 relation, Side side)
{
	return side == SIDE_TAIL ? FORWARDS(relation) : MIRRORED(FORWARDS(relation));
}

/* Facts about what the model has no row for are left out. */
static const EvFacts *
facts_of(Graph *graph, const Predictor *predictor)
{
	if (predictor->evidence != NULL)
		return &predictor->evidence->facts;
	return &evidence_of_facts(graph, predictor->added)->facts;
}

/* How many known answers the holders of an atom have. */
static int64
count_known(const EvFacts *facts, DirectedAtom atom)
{
	int64		count = 0;

	for (int64 i = facts->holders[atom]; i < facts->holders[atom + 1]; i++)
	{
		EvGroup		group = ev_group_at(facts, facts->holder[i]);

		count += group.end - group.first;
		if (i % 1024 == 0)
			CHECK_FOR_INTERRUPTS();
	}
	return count;
}

static void
count_questions(MissingQuestions *questions)
{
	for (int32 key = 2 * questions->first; key < 2 * questions->end; key++)
	{
		DirectedAtom atom = atom_of(key / 2, (Side) (key % 2));
		EvDomain	domain = ev_domain(questions->finder, atom, hkg_leader(), POOL_LEADER);
		int64		count = domain.holders + domain.alike;

		questions->count += count;
		questions->most = Max(questions->most, count);
		questions->most_known = Max(questions->most_known, count_known(questions->facts, atom));
	}
}

/* relation: NULL for all */
static MissingQuestions
open_questions(Graph *graph, const Predictor *predictor, const char *relation)
{
	Arena		arena = hkg_arena();
	MissingQuestions	questions = {.predictor = predictor,.end = predictor->model->kge.relations};

	if (relation != NULL)
	{
		questions.first = model_relation_row(predictor->model, graph, relation);
		questions.end = questions.first + 1;
	}
	questions.facts = facts_of(graph, predictor);
	hkg_check_memory_or(ev_domain_finder_bytes(questions.facts), "a list of missing facts", "ask for those of one relation");
	questions.finder = ev_domain_finder(&arena, questions.facts, EV_MUCH_ALIKE);
	count_questions(&questions);
	hkg_check_memory_or(questions.most * sizeof(KgeQuestionAnswers) + questions.most_known * sizeof(int32),
						"a list of missing facts", "ask for those of one relation");
	questions.question = array_new(KgeQuestionAnswers, questions.most);
	questions.known = array_new(int32, questions.most_known);
	return questions;
}

/* A question about an entity, with its answers among the facts */
static KgeQuestionAnswers
question_about(MissingQuestions *questions, int32 entity, DirectedAtom atom, int64 *known)
{
	EvGroup		group = ev_group(questions->facts, entity, atom);
	KgeQuestionAnswers question = {entity, *known, *known + group.end - group.first};

	for (int64 i = group.first; i < group.end; i++)
		questions->known[(*known)++] = questions->facts->edge[i].other;
	return question;
}

typedef struct FrequentAnswer
{
	int32		entity;
	int64		facts;
} FrequentAnswer;

/* The most frequent one first */
static int
compare_frequent(const void *a, const void *b)
{
	const FrequentAnswer *left = a;
	const FrequentAnswer *right = b;

	if (left->facts != right->facts)
		return left->facts > right->facts ? -1 : 1;
	return (left->entity > right->entity) - (left->entity < right->entity);
}

/* The entities that answer most questions with an atom; returns how many. */
static int64
find_likely(MissingQuestions *questions, DirectedAtom atom)
{
	const EvFacts *facts = questions->facts;
	DirectedAtom answers = MIRRORED(atom);
	FrequentAnswer frequent[LIKELY];
	int64		count = 0;

	for (int64 i = facts->holders[answers]; i < facts->holders[answers + 1]; i++)
	{
		EvGroup		group = ev_group_at(facts, facts->holder[i]);
		FrequentAnswer answer = {facts->group[facts->holder[i]].entity, group.end - group.first};

		count = heap_offer(frequent, count, LIKELY, &answer, sizeof(FrequentAnswer), compare_frequent);
		if (i % 1024 == 0)
			CHECK_FOR_INTERRUPTS();
	}
	for (int64 i = 0; i < count; i++)
		questions->likely[i] = frequent[i].entity;
	return count;
}

/* Asks all questions of a relation for one side. */
static void
ask(MissingQuestions *questions, KgeCompletion *completion, int32 relation, Side side)
{
	DirectedAtom atom = atom_of(relation, side);
	EvDomain	domain = ev_domain(questions->finder, atom, hkg_leader(), POOL_LEADER);
	int64		known = 0;
	KgeAsked	asked = {
		.side = side,
		.relation = relation,
		.reflexive = questions->facts->reflexive[relation],
		.question = questions->question,
		.count = domain.holders + domain.alike,
		.known = questions->known,
		.likely = questions->likely,
		.likely_count = find_likely(questions, atom)
	};

	for (int64 i = 0; i < asked.count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		questions->question[i] = question_about(questions, domain.entity[i], atom, &known);
	}
	kge_completion_ask(completion, &asked);
}

/* ---- answers ----------------------------------------------------------------------------- */

/* KgeJudge's callback: probabilities as hkg_predict_tails and hkg_predict_heads show them. */
static void
judge(void *argument, const KgeAsked *asked, const KgeQuestionAnswers *question, KgeScored *answers, int64_t count)
{
	const Predictor *predictor = argument;
	EvQuestionScores scores = {.known = question->end - question->first};

	/* with rules alone, what no rule infers is no answer */
	while (predictor->kind == EV_RULES && count > 0 && answers[count - 1].addition == 0)
		answers[--count].probability = 0;
	for (int64_t i = 0; i < Min(count, EV_SHOWN); i++)
		ev_show_score(&scores, i, answers[i].score);
	for (int64_t i = 0; i < count; i++)
		answers[i].probability = predictor_probability(predictor, asked->side, asked->relation,
													   (EvJudged) {answers[i].score, answers[i].phi, answers[i].addition, scores});
}

/* KgeJudge's callback: the same probabilities, the other way round */
static double
score_needed(void *argument, const KgeAsked *asked, const KgeQuestionAnswers *question, double probability, double last)
{
	return predictor_score_needed(argument, asked->side, asked->relation, question->end - question->first, last, probability);
}

/* Most probable first */
typedef struct MissingList
{
	Triple	   *triple;			/* by ids */
	double	   *score;
	double	   *probability;
	int64		count;
	double		best;			/* probability of what was found; negative where nothing was */
} MissingList;

/* The score of hkg_score, whichever question it was found by */
static double
score_of_found(const Predictor *predictor, const KgeScored *found)
{
	if (found->side == SIDE_TAIL)
		return found->score;
	return predictor_score(predictor, SIDE_TAIL, found->triple.relation, predictor_parts(predictor, found->triple));
}

/* Adds what was found, unless it is too improbable, or with rules alone, no rule infers it. */
static void
add_missing(MissingList *list, const Predictor *predictor, const KgeScored *found, double min_probability)
{
	if (predictor->kind == EV_RULES && found->addition == 0)
		return;
	list->best = Max(list->best, found->probability);
	if (found->probability < min_probability)
		return;
	list->triple[list->count] = (Triple) {
		added_entities_id(predictor->added, found->triple.head), predictor->model->relation_id[found->triple.relation],
		added_entities_id(predictor->added, found->triple.tail)
	};
	list->score[list->count] = score_of_found(predictor, found);
	list->probability[list->count++] = found->probability;
}

/* For finding the best k, and for returning as many as there can be */
static uint64
bytes_needed(Pool *pool, const Scoring *scoring, const KgeSketch *sketch, KgeJudge judge, KgeWanted wanted)
{
	int64		listed = Min(wanted.k, wanted.questions * scoring->kge.entities);

	return kge_completion_bytes(pool, &scoring->kge, sketch, scoring->adjustment, judge, wanted) +
		listed * (sizeof(Triple) + 2 * sizeof(double)) + best_rule_bytes(listed);
}

static int64
find_best(MissingQuestions *questions, KgeWanted wanted, const KgeScored **best)
{
	const Predictor *predictor = questions->predictor;
	Arena		arena = hkg_arena();
	Pool	   *pool = hkg_pool();
	KgeJudge	judging = {judge, score_needed, (void *) predictor, EV_SHOWN};
	const KgeSketch *sketch = predictor->kind == EV_RULES || predictor->added->count > 0 ? NULL : predictor->model->sketch;
	KgeCompletion *completion;
	Scoring		scoring;

	scoring_open(predictor->evidence, predictor->kind, added_entities_array(predictor->added), pool_threads(pool), &scoring);
	hkg_check_memory_or(bytes_needed(pool, &scoring, sketch, judging, wanted),
						psprintf("a list of " INT64_FORMAT " missing facts", wanted.k), "ask for a smaller k");
	completion = kge_completion(&arena, pool, &scoring.kge, sketch, scoring.adjustment, judging, wanted);
	for (int32 relation = questions->first; relation < questions->end; relation++)
		for (int side = SIDE_HEAD; side <= SIDE_TAIL; side++)
			ask(questions, completion, relation, (Side) side);
	return kge_completion_end(completion, best);
}

/* Adds the k best of them to a list that has room for them. */
static void
add_best(MissingList *list, const Predictor *predictor, const KgeScored *best, int64 count, double min_probability)
{
	for (int64 i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		add_missing(list, predictor, &best[i], min_probability);
	}
}

static MissingList
find_missing(Graph *graph, const Predictor *predictor, const char *relation, int k, double min_probability)
{
	MissingQuestions	questions = open_questions(graph, predictor, relation);
	KgeWanted	wanted = {k, questions.count, predictor->kind == EV_RULES, min_probability};
	MissingList list = {.best = -1};
	const KgeScored *best = NULL;
	int64		count = find_best(&questions, wanted, &best);

	list.triple = array_new(Triple, count);
	list.score = array_new(double, count);
	list.probability = array_new(double, count);
	add_best(&list, predictor, best, count, min_probability);
	if (list.count == 0 && min_probability > 0)
	{
		/* for the notice, and the list stays empty */
		wanted.k = 1;
		wanted.probability = 0;
		count = find_best(&questions, wanted, &best);
		add_best(&list, predictor, best, count, TOO_PROBABLE);
	}
	return list;
}

/* Why the list is empty */
static void
notice_nothing(const MissingList *list, double min_probability)
{
	if (list->best < 0)
		ereport(NOTICE,
				(errmsg("no missing fact was found"),
				 errdetail("There is no question to ask, or no answer that is not a fact.")));
	else
		ereport(NOTICE,
				(errmsg("no missing fact has a probability of %g or more", min_probability),
				 errdetail("The most probable one that was found has %.3g.", list->best),
				 errhint("Give a lower min_probability.")));
}

static void
return_missing(const Graph *graph, const char *model, const MissingList *list, const BestRule *rule,
			   SqlResult *result)
{
	char	   *query = psprintf("select h.name::text, r.name::text, t.name::text, u.score, u.probability, coalesce(u.counted, l.rule::text) "
								 "from unnest($1::int[], $2::int[], $3::int[], $4::float8[], $5::float8[], $6::int[], $7::text[]) "
								 "with ordinality as u (head, relation, tail, score, probability, rule, counted, place) "
								 "join %1$sentity h on h.id = u.head "
								 "join %1$srelation r on r.id = u.relation "
								 "join %1$sentity t on t.id = u.tail "
								 "left join %1$srule l on l.model = $8 and l.id = u.rule "
								 "order by u.place", graph->prefix);

	for (int64 first = 0; first < list->count; first += NAMED_ROWS)
	{
		int			count = (int) Min(NAMED_ROWS, list->count - first);
		SqlArgs		args = {0};

		arg_triples(&args, list->triple + first, count);
		sql_arg(&args, FLOAT8ARRAYOID, array_of_float8(list->score + first, count));
		sql_arg(&args, FLOAT8ARRAYOID, array_of_float8(list->probability + first, count));
		arg_best_rules(&args, rule + first, count);
		sql_arg(&args, TEXTOID, CStringGetTextDatum(model));
		sql_result_query(result, query, &args);
		sql_args_free(&args);
	}
}

HKG_FUNCTION(hkg_complete);
Datum
hkg_complete(PG_FUNCTION_ARGS)
{
	char	   *relation = PG_ARGISNULL(1) ? NULL : argument_text(fcinfo, 1, "relation");
	int			k = argument_int(fcinfo, 2, "k", 1, PG_INT32_MAX);
	double		min_probability = argument_float(fcinfo, 3, "min_probability", 0, 1);
	EvKind		kind = argument_evidence(fcinfo, 5);
	Call		call = call_begin(fcinfo, 4);
	Predictor	predictor = predictor_open(call.graph, call.model, kind);
	MissingList list = find_missing(call.graph, &predictor, relation, k, min_probability);
	BestRule   *rule;

	if (list.count == 0)
		notice_nothing(&list, min_probability);
	rule = best_rule_of_each(call.graph, call.model, predictor.evidence, list.triple, list.count);
	return_missing(call.graph, call.model, &list, rule, call.result);
	return call_end(&call);
}
