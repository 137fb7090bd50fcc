/*
 * constraint.c
 *		The table of constraints, and what they share (see constraint.h).
 *
 * An entity's row is projected whenever the optimizer has moved it, and before the first epoch.  Entailments belong to
 * relations, not to positives: so their gradients are part of every minibatch, as a penalty on parameters is.  Threads
 * compute them before any row moves, each relation's from its partners in their order, so that they do not depend on
 * the number of threads.
 */
#include <string.h>

#include "constraint.h"
#include "core/names.h"

#define PARTNERS_AT_ONCE 256	/* between two looks at the clock */
#define ENTITIES_AT_ONCE 1024

static const KgeConstraint none = {.name = "none"};

static const NameTable constraints =
NAME_TABLE(&none,
		   &kge_constraint_nne, &kge_constraint_nne_aer	/* compared */
);

const KgeConstraint *
kge_constraint(const char *name)
{
	return name_find(&constraints, name);
}

const char *
kge_constraint_name(int i)
{
	return name_at(&constraints, i);
}

const char *
kge_constraint_function(const KgeConstraint *constraint)
{
	return constraint->function == NULL ? NULL : constraint->function->name;
}

bool
kge_constraint_entails(const KgeConstraint *constraint)
{
	return constraint->pull != NULL;
}

/* ---- entities ------------------------------------------------------------------- */

typedef struct Projecting
{
	const KgeConstraint *constraint;
	float	   *entity;
	int32_t		count;
	int			width;
} Projecting;

/* Item: some rows. */
static void
project_rows(void *argument, int64_t item, int thread)
{
	const Projecting *work = argument;
	int32_t		from = (int32_t) item * ENTITIES_AT_ONCE;

	for (int32_t i = from; i < work->count && i < from + ENTITIES_AT_ONCE; i++)
		work->constraint->project(work->width, work->entity + (size_t) i * (size_t) work->width);
}

void
kge_constrain_entities(const KgeConstraint *constraint, const KgeModel *model, Pool *pool, float *entity, int32_t count)
{
	Projecting	work = {constraint, entity, count, kge_model_width(model)};

	if (constraint->project != NULL)
		pool_run(pool, pool_pieces(count, ENTITIES_AT_ONCE), project_rows, &work);
}

/* ---- entailments ------------------------------------------------------------------ */

void
kge_plan_constraint(KgeTrainer *plan)
{
	const KgeConstraint *constraint = plan->training.constraint;

	plan->entity.project = constraint->project;
	plan->relation.pulls.room = constraint->pull == NULL ? 0 : plan->relation.rows;
}

/* The rows that a relation has: its own, and that of its inverse. */
static int32_t
parts_of(const KgeModel *model)
{
	return model->reciprocal ? 2 : 1;
}

/* The row's place among those that have pulls, which is taken if it has none. */
static int32_t
take_place(KgePulls *pulls, int32_t row)
{
	if (pulls->place[row] < 0)
	{
		pulls->place[row] = pulls->count;
		pulls->row[pulls->count++] = row;
	}
	return pulls->place[row];
}

/*
 * Visits both partners of each entailment in turn, of all relations and then of their inverses.  On the first call,
 * without `partner`, start[place + 2] counts; on the second start[place + 1] is where a row's next partner goes.
 */
static void
list_partners(KgeTrainer *trainer, const KgeEntailment *entailments, int64_t count, KgePartner *partner)
{
	KgePulls   *pulls = &trainer->relation.pulls;
	float		weight = (float) trainer->training.entailment_weight;

	for (int64_t i = 0; i < count * parts_of(trainer->model); i++)
	{
		const KgeEntailment *entailment = &entailments[i % count];
		int32_t		part = (int32_t) (i / count) * trainer->model->relations;
		int32_t		rows[2] = {entailment->body + part, entailment->head + part};

		for (int side = 0; side < 2; side++)
		{
			int32_t		place = take_place(pulls, rows[side]);

			if (partner == NULL)
				trainer->partner_start[place + 2]++;
			else
				partner[trainer->partner_start[place + 1]++] = (KgePartner) {
				rows[1 - side], weight * entailment->confidence, side == 0, entailment->inverse
			};
		}
	}
}

bool
kge_trainer_entail(KgeTrainer *trainer, Arena *arena, const KgeEntailment *entailments, int64_t count)
{
	KgePulls   *pulls = &trainer->relation.pulls;
	KgePartner *partner = arena_take(arena, (2 * (size_t) count * (size_t) parts_of(trainer->model) + 1) *
									 sizeof(KgePartner));

	assert(pulls->room > 0);
	if (partner == NULL)
		return false;
	pulls->count = 0;
	memset(pulls->place, -1, (size_t) pulls->room * sizeof(int32_t));
	memset(trainer->partner_start, 0, ((size_t) pulls->room + 2) * sizeof(int64_t));
	list_partners(trainer, entailments, count, NULL);
	for (int32_t i = 2; i <= pulls->count; i++)
		trainer->partner_start[i + 1] += trainer->partner_start[i];
	list_partners(trainer, entailments, count, partner);
	trainer->partner = partner;
	return true;
}

void
kge_pull_relation(void *argument, int64_t item, int thread)
{
	KgeTrainer *trainer = argument;
	const KgePulls *pulls = &trainer->relation.pulls;
	size_t		width = (size_t) trainer->relation.width;
	const float *matrix = trainer->relation.parameter;
	float	   *gradient = pulls->gradient + (size_t) item * width;

	memset(gradient, 0, width * sizeof(float));
	for (int64_t i = trainer->partner_start[item]; i < trainer->partner_start[item + 1]; i++)
	{
		KgePartner	partner = trainer->partner[i];

		trainer->training.constraint->pull(trainer->model->dimensions, partner, matrix + (size_t) pulls->row[item] * width,
										   matrix + (size_t) partner.row * width, gradient);
		if (i % PARTNERS_AT_ONCE == 0)
			pool_yield(trainer->pool, thread);
	}
}
