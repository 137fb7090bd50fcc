/*
 * score.c
 *		hkg_score and hkg_classify: one triple, by its names.
 *
 * They are called row by row, up to millions of times in a query.  All of these calls use one snapshot.  So each call
 * site keeps the model, what it has of the facts, and the rows of the names that it has looked up, until another
 * snapshot, transaction, subtransaction or user could find something else.  A statement that writes the graph's tables
 * shows more rows with the same snapshot, to functions that it calls: it has locked them by then, and where no table is
 * locked for that, none needs to be looked at.  Setting search_path for each row would take longer than all of that, so
 * it is set where tables are read.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "graph/version.h"
#include "model/model_cache.h"
#include "model/predictor.h"
#include "server/argument.h"
#include "server/growing_array.h"
#include "server/named_numbers.h"
#include "server/sql.h"
#include "server/visibility.h"

/* ---- names, row by row ---------------------------------------------------------------- */

/* names kept by a call site; with more, start anew */
#define NAMES_LIMIT 1000000
/* after that many look-ups, read all entities at once, if they are not too many */
#define LOOKUPS_LIMIT 500
#define ENTITIES_AT_ONCE 100000
/* that what relations give to scores may take */
#define PREPARED_BYTES ((Size) 16 << 20)

/* Of a relation and the kind of evidence that is wanted */
typedef struct KeptThreshold
{
	bool		looked_up;
	double		value;			/* NaN: there is none */
} KeptThreshold;

/* The text of an argument in the last call: that of the next one is often the same */
typedef struct LastText
{
	char	   *text;			/* in the memory of the call site itself */
	Size		length;
	Size		room;			/* 0: there was no call */
	int32		number;			/* what it stands for: a row, or a kind of evidence; -1: not known yet */
} LastText;

enum
{
	HEAD, RELATION, TAIL, NAMES
};

/* All that a call reads */
static const char *const tables_read[] = {
	"model", "entity_embedding", "relation_embedding", "shared_weight", "evidence_weight", "rule", "path_network",
	"triple", "entity", "relation", "threshold", NULL
};

/* What a call site of hkg_score or hkg_classify keeps */
typedef struct CallSite
{
	LastText	name[NAMES];
	LastText	evidence;
	MemoryContext context;		/* of all below; reset when they are no longer valid */
	char	   *graph;			/* as typed; NULL: nothing is kept */
	char	   *model;
	List	   *written;		/* those of tables_read that this transaction has written */
	uint64		snapshot;		/* its number */
	uint64		serial;			/* of the model's copy */
	NamedNumbers *entities;		/* rows by name */
	NamedNumbers *relations;
	int			lookups;		/* names looked up so far, -1 when all entities are there */
	int			exacts;
	KgeExactScore *exact;		/* of relation i in number i % exacts; each call sets its model */
	KeptThreshold *threshold;	/* by relation; or NULL */
	EvKind		kind;			/* that is wanted */
	ModelFacts	facts;			/* for that kind; rows are those of facts.added */
} CallSite;

/* Takes the text of argument i: it keeps its number where it is the same. */
static void
take_text(FunctionCallInfo fcinfo, int i, const char *what, LastText *last)
{
	text	   *value = DatumGetTextPP(argument(fcinfo, i, what));
	Size		length = VARSIZE_ANY_EXHDR(value);

	if (last->room > 0 && length == last->length && memcmp(last->text, VARDATA_ANY(value), length) == 0)
		return;
	last->number = -1;
	if (length >= last->room)
	{
		char	   *larger = MemoryContextAlloc(fcinfo->flinfo->fn_mcxt, length + 1);

		if (last->text != NULL)
			pfree(last->text);
		last->text = larger;
		last->room = length + 1;
	}
	memcpy(last->text, VARDATA_ANY(value), length);
	last->length = length;
	last->text[length] = '\0';
}

static void
forget_all(CallSite *site)
{
	site->graph = NULL;
	for (int i = 0; i < NAMES; i++)
		site->name[i].number = -1;
	MemoryContextReset(site->context);
}

static CallSite *
call_site(FunctionCallInfo fcinfo)
{
	CallSite   *site = fcinfo->flinfo->fn_extra;

	if (site == NULL)
	{
		site = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(CallSite));
		site->context = AllocSetContextCreate(fcinfo->flinfo->fn_mcxt, "hybridkg names",
											  ALLOCSET_DEFAULT_SIZES);
		fcinfo->flinfo->fn_extra = site;
	}
	return site;
}

/* Room for what exact scores take from relations: from each one, or from those that were asked for last. */
static void
take_exact_scores(CallSite *site, const KgeModel *kge)
{
	Size		numbers = kge_exact_numbers(kge);
	Size		fit = PREPARED_BYTES / (sizeof(double) * Max(numbers, 1));
	double	   *prepared;

	site->exacts = (int) Max(Min(fit, (Size) kge->relations), 1);
	site->exact = array_new(KgeExactScore, site->exacts);
	prepared = array_new(double, (Size) site->exacts * numbers);
	for (int i = 0; i < site->exacts; i++)
		site->exact[i] = (KgeExactScore) {.relation = -1,.prepared = prepared + (Size) i * numbers};
}

static void
remember_model(CallSite *site, const char *graph, const Model *model, EvKind kind, ModelFacts facts)
{
	MemoryContext caller;

	if (model->serial == 0 || facts.serial == 0)
		return;
	caller = MemoryContextSwitchTo(site->context);
	site->entities = named_numbers_create(site->context);
	site->relations = named_numbers_create(site->context);
	take_exact_scores(site, &model->kge);
	site->lookups = 0;
	site->threshold = NULL;
	site->kind = kind;
	site->facts = facts;
	site->serial = model->serial;
	site->model = pstrdup(model->name);
	site->graph = pstrdup(graph);
	MemoryContextSwitchTo(caller);
}

static void
remember_row(CallSite *site, NamedNumbers *names, const char *name, int32 row)
{
	bool		found;

	name = MemoryContextStrdup(site->context, name);
	named_numbers_insert(names, name, &found)->number = row;
}

static bool
recall_row(NamedNumbers *names, const char *name, int32 *row)
{
	NamedNumber *found = named_numbers_find(names, name);

	if (found != NULL)
		*row = found->number;
	return found != NULL;
}

static void
take_entity_name(void *argument, const Datum *values, const bool *nulls)
{
	CallSite   *site = argument;
	int32		row = added_entities_row(site->facts.added, DatumGetInt32(values[0]));
	char	   *name = TextDatumGetCString(sql_present(values, nulls, 1));

	if (row >= 0)
		remember_row(site, site->entities, name, row);
	pfree(name);
}

/* For millions of rows with thousands of entities, one query for all names takes less time than one for each. */
static void
remember_entities(CallSite *site, const Graph *graph)
{
	sql_stream(psprintf("select id::int, name::text from %sentity where name is not null", graph->prefix),
			   SQL_NO_ARGS, take_entity_name, site);
	site->lookups = -1;
}

static int32
find_entity(CallSite *site, Graph *graph, const AddedEntities *added, const char *name)
{
	int32		row;

	if (site->graph == NULL)
		return added_entities_row_of_name(added, graph, name);
	if (recall_row(site->entities, name, &row))
		return row;
	if (site->lookups == LOOKUPS_LIMIT && added->model->kge.entities <= ENTITIES_AT_ONCE)
	{
		remember_entities(site, graph);
		if (recall_row(site->entities, name, &row))
			return row;
	}
	row = added_entities_row_of_name(added, graph, name);
	if (row >= 0)
		remember_row(site, site->entities, name, row);
	if (site->lookups >= 0)
		site->lookups++;
	return row;
}

static int32
find_relation(CallSite *site, Graph *graph, const Model *model, const char *name)
{
	int32		row;

	if (site->graph != NULL && recall_row(site->relations, name, &row))
		return row;
	row = model_relation_row(model, graph, name);
	if (site->graph != NULL)
		remember_row(site, site->relations, name, row);
	return row;
}

typedef struct ScoredTriple
{
	const Model *model;
	ModelFacts	facts;
	Triple		triple;			/* in their rows */
	EvKind		kind;			/* that was wanted, or the one that the model can have */
	bool		judged;			/* facts are wanted whatever the kind, where there are probabilities */
	ScoreParts	parts;
	double		score;
} ScoredTriple;

/* The model and the facts that the call site keeps; false when it has none. */
static bool
find_kept_model(const CallSite *site, ScoredTriple *scored)
{
	scored->model = site->graph == NULL ? NULL : model_recall(site->serial);
	scored->facts = site->facts;
	return scored->model != NULL && model_recall_facts(scored->model, site->facts.serial);
}

static bool
find_kept_row(NamedNumbers *names, LastText *last, int32 *row)
{
	if (last->number < 0 && !recall_row(names, last->text, &last->number))
		return false;
	*row = last->number;
	return true;
}

/* Between these two, the graph's tables are read. */
static Graph *
begin_reading(const char *graph, int *nest_level)
{
	*nest_level = sql_pin();
	sql_begin();
	return graph_open(graph);
}

static void
end_reading(int nest_level)
{
	sql_end();
	sql_unpin(nest_level);
}

static void
find_in_tables(CallSite *site, const char *graph_name, const char *model_name, ScoredTriple *scored)
{
	int			nest_level;
	Graph	   *graph = begin_reading(graph_name, &nest_level);

	if (!find_kept_model(site, scored))
	{
		MemoryContext caller = MemoryContextSwitchTo(site->context);

		/* before the tables are read, as a query that reads them may write */
		forget_all(site);
		site->written = tables_written(graph, tables_read);
		site->snapshot = snapshot_number(site->written);
		MemoryContextSwitchTo(caller);
		scored->model = model_open(graph, model_name);
		scored->facts = model_facts(graph, scored->model,
									scored->kind != EV_EMBEDDING || (scored->judged && scored->model->probable));
		remember_model(site, graph_name, scored->model, scored->kind, scored->facts);
	}
	scored->triple.head = find_entity(site, graph, scored->facts.added, site->name[HEAD].text);
	scored->triple.relation = find_relation(site, graph, scored->model, site->name[RELATION].text);
	scored->triple.tail = find_entity(site, graph, scored->facts.added, site->name[TAIL].text);
	end_reading(nest_level);
}

/* The arguments graph, head, relation, tail, model, evidence */
static void
find_triple(FunctionCallInfo fcinfo, ScoredTriple *scored)
{
	static const char *const names[NAMES] = {"head", "relation", "tail"};
	CallSite   *site = call_site(fcinfo);
	const char *graph = NameStr(*DatumGetName(argument(fcinfo, 0, "graph")));
	const char *model;

	for (int i = 0; i < NAMES; i++)
		take_text(fcinfo, 1 + i, names[i], &site->name[i]);
	model = NameStr(*DatumGetName(argument(fcinfo, 4, "model")));
	take_text(fcinfo, 5, "evidence", &site->evidence);
	if (site->evidence.number < 0)
		site->evidence.number = argument_evidence(fcinfo, 5);
	scored->kind = (EvKind) site->evidence.number;
	/* what the call site keeps is for one graph, model, kind of evidence and snapshot */
	if (site->graph != NULL &&
		(strcmp(site->graph, graph) != 0 || strcmp(site->model, model) != 0 || site->kind != scored->kind ||
		 site->entities->count >= NAMES_LIMIT || site->relations->count >= NAMES_LIMIT ||
		 site->snapshot != snapshot_number(site->written)))
		forget_all(site);
	if (!find_kept_model(site, scored) ||
		!find_kept_row(site->entities, &site->name[HEAD], &scored->triple.head) ||
		!find_kept_row(site->relations, &site->name[RELATION], &scored->triple.relation) ||
		!find_kept_row(site->entities, &site->name[TAIL], &scored->triple.tail))
		find_in_tables(site, graph, model, scored);
}

/* ---- scores ----------------------------------------------------------------------------- */

/* The embedding's part of the score of the triple; rows of one relation, or of a few relations, follow each other */
static double
find_phi(const CallSite *site, const Predictor *predictor, Triple triple)
{
	KgeExactScore *exact;

	if (site->graph == NULL)
		return kge_score(&predictor->kge, triple);
	exact = &site->exact[triple.relation % site->exacts];
	exact->model = &predictor->kge;
	return kge_exact_score(exact, triple, SIDE_TAIL);
}

/* The arguments of hkg_score; what the score was made by in *made_by.  False where an entity that is not known is left out. */
static bool
score(FunctionCallInfo fcinfo, ScoredTriple *scored, Predictor *made_by)
{
	Predictor	predictor;

	find_triple(fcinfo, scored);
	if (scored->triple.head < 0 || scored->triple.tail < 0)
		return false;
	predictor = predictor_of(scored->model, scored->facts, scored->kind);
	scored->kind = predictor.kind;
	scored->parts = predictor_parts_on(&predictor, SIDE_TAIL, scored->triple,
									   ev_uses_embedding(predictor.kind) ?
									   find_phi(fcinfo->flinfo->fn_extra, &predictor, scored->triple) : 0);
	scored->score = predictor_score(&predictor, SIDE_TAIL, scored->triple.relation, scored->parts);
	*made_by = predictor;
	return true;
}

HKG_FUNCTION(hkg_score);
Datum
hkg_score(PG_FUNCTION_ARGS)
{
	ScoredTriple scored = {0};
	Predictor	predictor;

	if (!score(fcinfo, &scored, &predictor))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(scored.score);
}

/* ---- true or false ------------------------------------------------------------------------ */

/* NaN where the relation has none and is judged by probabilities */
static double
read_threshold(FunctionCallInfo fcinfo, const ScoredTriple *scored)
{
	const Model *model = scored->model;
	int32		relation = model->relation_id[scored->triple.relation];
	SqlArgs		args = sql_args_text(model->name);
	int			nest_level;
	Graph	   *graph = begin_reading(argument_name(fcinfo, 0, "graph"), &nest_level);
	Datum		threshold;
	bool		found;

	sql_arg(&args, INT4OID, Int32GetDatum(relation));
	sql_arg_text(&args, evidence_kinds[scored->kind]);
	found = sql_value(psprintf("select nullif(threshold::float8, 'NaN') from %sthreshold "
							   "where model = $1 and relation = $2 and evidence = $3",
							   graph->prefix), &args, &threshold);
	if (!found && (!model->probable || scored->facts.evidence == NULL))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("model \"%s\" has no threshold for relation \"%s\"%s", model->name,
						argument_text(fcinfo, 2, "relation"), scored->kind == EV_EMBEDDING ? "" :
						psprintf(" and evidence \"%s\"", evidence_kinds[scored->kind])),
				 errdetail("Thresholds, or probabilities in their place, are learnt from the valid split, "
						   "or the facts held out in its place, at the end of a training."),
				 errhint("Hold facts out with hkg_split, or load a valid split, and train again.")));
	end_reading(nest_level);
	return found ? DatumGetFloat8(threshold) : NAN;
}

/* The relation's threshold, looked up once while what the call site keeps is valid. */
static double
threshold_of(FunctionCallInfo fcinfo, const ScoredTriple *scored)
{
	CallSite   *site = fcinfo->flinfo->fn_extra;
	KeptThreshold *kept;

	if (site->graph == NULL)
		return read_threshold(fcinfo, scored);
	if (site->threshold == NULL)
		site->threshold = MemoryContextAllocExtended(site->context,
													 sizeof(KeptThreshold) * scored->model->kge.relations,
													 MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	kept = &site->threshold[scored->triple.relation];
	if (!kept->looked_up)
		*kept = (KeptThreshold) {true, read_threshold(fcinfo, scored)};
	return kept->value;
}

HKG_FUNCTION(hkg_classify);
Datum
hkg_classify(PG_FUNCTION_ARGS)
{
	ScoredTriple scored = {.judged = true};
	Predictor	predictor;
	double		threshold;

	if (!score(fcinfo, &scored, &predictor))
		PG_RETURN_NULL();
	threshold = threshold_of(fcinfo, &scored);
	if (isnan(threshold))
		PG_RETURN_BOOL(predictor_is_probable(&predictor, &scored.facts.evidence->facts, scored.triple, scored.parts));
	PG_RETURN_BOOL(scored.score >= threshold);
}
