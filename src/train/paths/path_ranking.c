/*
 * path_ranking.c
 *		The ranks of the valid split by a path network alone (see path_ranking.h).
 *
 * As many triples are ranked as a tenth of the first epoch's time allows, 200 at most: that is enough to choose an epoch
 * by, since all rank the same triples.  The time is computed, not measured: on any machine the same triples are ranked.
 */
#include "path_ranking.h"

#include "core/random.h"
#include "server/host.h"

#define MOST_TRIPLES 200
#define MOST_TIME 0.1			/* of that of the questions that are learnt from */

PathRanking
path_ranking_sizes(const PathSettings *plan, const TrainingFacts *facts)
{
	double		time = path_asking_flops(plan, facts, 1) / path_answering_flops(plan, facts);
	double		affordable = MOST_TIME * time * (double) plan->facts;

	return (PathRanking) {
		.valid.sample = kge_sample(facts->valid_count, (int64) Min(affordable, MOST_TRIPLES)),
		.entities = facts->learnt->entities,
		.seed = plan->training.seed
	};
}

uint64
path_ranking_bytes(const PathRanking *ranking, const PathSettings *plan, const TrainingFacts *facts)
{
	Allocation	allocation = {0};
	Questions	questions;
	FactIndex	index = path_index_sizes(facts);

	if (facts->valid_count == 0)
		return 0;
	questions_take(&questions, &allocation, ranking->valid.sample.count, facts->filter_count);
	return allocation_bytes(&allocation) + hkg_threads * path_reader_bytes(&index, plan->shape, 1);
}

void
path_ranking_open(PathRanking *ranking, const TrainSettings *settings, const TrainingFacts *facts,
				  const FactIndex *index, const PathNetwork *network, Pool *pool)
{
	Arena		arena = hkg_arena();
	Allocation	allocation = {0};
	int64		count = ranking->valid.sample.count;

	if (facts->valid_count == 0)
		return;
	valid_ranking_open(&ranking->valid, settings, facts);
	questions_take(&ranking->questions, &allocation, count, facts->filter_count);
	allocation_open(&allocation, &arena);
	questions_take(&ranking->questions, &allocation, count, facts->filter_count);
	questions_fill(&ranking->questions, pool, ranking->valid.triple, facts->filter, facts->filter_count);
	ranking->reader = palloc(pool_threads(pool) * sizeof(PathReader *));
	for (int i = 0; i < pool_threads(pool); i++)
		ranking->reader[i] = path_reader(&arena, index, network);
}

/* ---- a rank ------------------------------------------------------------------------- */

/* The candidates of a question: all entities but the answer that is asked and those that the filter has */
static int64
count_candidates(const PathRanking *ranking, const Question *question, int32 answer)
{
	const int32 *excluded = question->excluded;
	int64		left_out = 1;

	for (int64 i = 0; i < question->excluded_count; i++)
		left_out += excluded[i] != answer && (i == 0 || excluded[i] != excluded[i - 1]);
	return ranking->entities - left_out;
}

typedef struct Kept
{
	const PathAnswer *answer;
	int64		count;
} Kept;

/* Entities that were not kept have score 0, as those that were kept may have. */
static int32
rank_of(const PathRanking *ranking, PathReader *reader, const Question *question, Kept kept, int64 example)
{
	int32		answer = example_answer(ranking->valid.triple, example);
	float		score = path_score(reader, answer);
	int64		candidates = count_candidates(ranking, question, answer);
	int64		above = 0;
	int64		equal = 0;
	uint64		stream = random_stream(ranking->seed, DRAW_TIE, (uint64) example, DRAW_NETWORK);

	for (int64 i = 0; i < kept.count; i++)
	{
		int32		entity = kept.answer[i].entity;

		if (entity == answer || question_excludes(question, entity))
			continue;
		above += kept.answer[i].score > score;
		equal += kept.answer[i].score == score;
		candidates--;
	}
	if (score == 0)
		equal += candidates;
	return (int32) (1 + above + random_below(random_bits(stream, 0), (uint64) equal + 1));
}

typedef struct RankCall
{
	PathRanking *ranking;
	Pool	   *pool;
} RankCall;

/* Item: a question. */
static void
rank_question(void *argument, int64_t item, int thread)
{
	const RankCall *call = argument;
	PathRanking *ranking = call->ranking;
	const Question *question = &ranking->questions.question[item];
	int64		count = ranking->valid.sample.count;
	Kept		kept;

	kept.count = path_answers(ranking->reader[thread], *question, call->pool, thread, &kept.answer);
	for (int64 i = first_example(&ranking->questions, question); i >= 0; i = ranking->questions.next_example[i])
		ranking->valid.rank[i % 2 * count + i / 2] = rank_of(ranking, ranking->reader[thread], question, kept, i);
}

void
path_ranking_run(PathRanking *ranking, Pool *pool, Iteration *epoch)
{
	ValidRanking *valid = &ranking->valid;
	RankCall	call = {ranking, pool};

	pool_run(pool, ranking->questions.count, rank_question, &call);
	epoch->metrics = kge_sample_metrics(valid->sample, valid->rank, 2, valid->reciprocal);
	epoch->mrr_error = kge_sample_error(valid->sample, valid->reciprocal, NULL);
	epoch->ranked = valid->sample.count;
	epoch->evaluated = true;
}
