/*
 * project.c
 *		hkg_project: the principal components of a model's entity embeddings.
 *
 * They are computed in a module of its own, src/algebra, which links BLAS and LAPACK and is loaded at the first
 * call: some implementations of BLAS start threads as soon as they are loaded, and a backend that only predicts must
 * have none.  OpenBLAS and OpenMP read at that moment how many threads they may use: one, which is the backend
 * itself.  Should another implementation start threads all the same, these inherit a mask that blocks all signals,
 * so that no handler of the server runs in them.
 *
 * The module is opened by dlopen itself and not by the server, which would open it again in every parallel worker.
 */
#include "postgres.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"

#include "algebra/principal_components.h"
#include "graph/call.h"
#include "model/model_cache.h"
#include "server/argument.h"
#include "server/array.h"
#include "server/host.h"

/* numbers in one statement: 8 MB */
#define COORDINATES_A_STATEMENT (1024 * 1024)

/* ---- the module ------------------------------------------------------------------ */

static const char *const thread_settings[] = {"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"};

/* Opens a library whose constructors may start threads, and keeps them from it; NULL, or its handle. */
static void *
open_without_threads(const char *path)
{
	char	   *given[lengthof(thread_settings)];
	sigset_t	all;
	sigset_t	saved;
	void	   *handle;

	for (int i = 0; i < (int) lengthof(thread_settings); i++)
	{
		given[i] = getenv(thread_settings[i]);
		given[i] = given[i] == NULL ? NULL : pstrdup(given[i]);
		setenv(thread_settings[i], "1", 1);
	}
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &saved);
	handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	pthread_sigmask(SIG_SETMASK, &saved, NULL);
	for (int i = 0; i < (int) lengthof(thread_settings); i++)
		if (given[i] == NULL)
			unsetenv(thread_settings[i]);
		else
			setenv(thread_settings[i], given[i], 1);
	return handle;
}

static PrincipalComponents
load_module(void)
{
	static PrincipalComponents function = NULL;
	char	   *path;
	Dl_info		own;			/* this library need not be in the server's own folder: dynamic_library_path */
	void	   *handle;

	if (function != NULL)
		return function;
	if (dladdr((void *) load_module, &own) == 0)
		elog(ERROR, "library hybridkg has no path");
	path = pstrdup(own.dli_fname);
	get_parent_directory(path);
	path = psprintf("%s/hybridkg_algebra%s", path, DLSUFFIX);
	if (access(path, F_OK) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("hybridkg was built without BLAS and LAPACK, which hkg_project needs"),
				 errhint("Install them with their development files (Debian: libblas-dev, liblapack-dev), "
						 "and build and install hybridkg again.")));
	handle = open_without_threads(path);
	function = handle == NULL ? NULL : (PrincipalComponents) dlsym(handle, PRINCIPAL_COMPONENTS);
	if (function == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_SYSTEM_ERROR),
				 errmsg("could not load library \"%s\": %s", path, dlerror()),
				 errhint("Install BLAS and LAPACK (Debian: libblas3, liblapack3), or build and install hybridkg "
						 "again.")));
	return function;
}

/* ---- the function ------------------------------------------------------------------ */

static Projection
find_components(const Model *model, int k)
{
	Arena		arena = hkg_within_memory(hkg_arena(), 0, "finding principal components",
										  "train a model with fewer dimensions");
	Projection	projection = {
		.row = model->kge.entity,
		.rows = model->kge.entities,
		.width = kge_entity_width(model->kge.function, model->kge.dimensions),
		.components = k,
		.yield = hkg_check_interrupts
	};

	if (projection.width > COMPONENTS_WIDTH_LIMIT)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("embeddings of model \"%s\" have %d numbers, hkg_project takes at most %d",
						model->name, projection.width, COMPONENTS_WIDTH_LIMIT),
				 errhint("Train a model with fewer dimensions.")));
	if (k > projection.width)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("k must be at most %d, the numbers of an embedding of model \"%s\", not %d",
						projection.width, model->name, k),
				 errhint("Ask for fewer components.")));
	if (!load_module() (&arena, &projection))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("LAPACK found no principal components of model \"%s\"", model->name),
				 errhint("Ask for fewer components, or train or import the model again.")));
	return projection;
}

static void
return_projection(const Graph *graph, const Model *model, const Projection *projection, SqlResult *result)
{
	int			k = projection->components;
	int64		chunk = COORDINATES_A_STATEMENT / k;
	char	   *query = psprintf("select e.name::text, ($2::float8[])[(u.place - 1) * %1$d + 1 : u.place * %1$d], "
								 "$3::float8[] from unnest($1::int[]) with ordinality as u (id, place) "
								 "join %2$sentity e on e.id = u.id order by u.place", k, graph->prefix);

	for (int64 first = 0; first < projection->rows; first += chunk)
	{
		int			count = (int) Min(chunk, projection->rows - first);
		SqlArgs		args = {0};

		sql_arg(&args, INT4ARRAYOID, array_of_int4(model->entity_id + first, count));
		sql_arg(&args, FLOAT8ARRAYOID, array_of_float8(projection->coordinate + first * k, count * k));
		sql_arg(&args, FLOAT8ARRAYOID, array_of_float8(projection->explained, k));
		sql_result_query(result, query, &args);
		sql_args_free(&args);
	}
}

HKG_FUNCTION(hkg_project);
Datum
hkg_project(PG_FUNCTION_ARGS)
{
	int			k = argument_int(fcinfo, 1, "k", 1, COMPONENTS_LIMIT);
	Call		call = call_begin(fcinfo, 2);
	const Model *model = model_open(call.graph, call.model);
	Projection	projection;

	model_require_entities(model);
	projection = find_components(model, k);

	return_projection(call.graph, model, &projection, call.result);
	return call_end(&call);
}
