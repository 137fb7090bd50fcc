/*
 * module.c
 *		Loading the library: defines the settings, chooses the kernels for this processor.
 */
#include "server/compat.h"

#include <unistd.h>

#include "core/dense.h"
#include "server/copy_directory.h"
#include "server/host.h"
#include "server/planner.h"
#include "server/progress.h"
#include "train/settings.h"

PG_MODULE_MAGIC;

HKG_EXPORT void _PG_init(void);

static const struct config_enum_entry progress_levels[] = {
	{"off", PROGRESS_OFF, false},
	{"iteration", PROGRESS_ITERATION, false},
	{"epoch", PROGRESS_EPOCH, false},
	{NULL, 0, false}
};

static const struct config_enum_entry precisions[] = {
	{"single", KGE_SINGLE, false},
	{"bfloat16", KGE_BFLOAT16, false},
	{NULL, 0, false}
};

static int
online_cores(void)
{
	long		cores = sysconf(_SC_NPROCESSORS_ONLN);

	return (int) Max(1, Min(cores, 1024));
}

void
_PG_init(void)
{
	DefineCustomIntVariable("hybridkg.threads",
							"Threads that training and ranking use.",
							"Results do not depend on it.",
							&hkg_threads, online_cores(), 1, 1024,
							PGC_SUSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("hybridkg.max_memory",
							"The most memory that training, loading or a model may take.",
							"What would need more is refused before anything is allocated.",
							&hkg_max_memory, 4 * 1024 * 1024, 1024, INT_MAX,
							PGC_SUSET, GUC_UNIT_KB, NULL, NULL, NULL);
	DefineCustomIntVariable("hybridkg.shared_cache",
							"Room for the models and indexes of facts that all sessions share, as temporary files.",
							"0: each session has its own in its memory.",
							&hkg_shared_cache, 1024 * 1024, 0, INT_MAX,
							PGC_SUSET, GUC_UNIT_KB, NULL, NULL, NULL);
	DefineCustomEnumVariable("hybridkg.progress",
							 "How often training reports its progress as a NOTICE.",
							 NULL,
							 &hkg_progress_level, PROGRESS_ITERATION, progress_levels,
							 PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomEnumVariable("hybridkg.precision",
							 "What training multiplies under the losses softmax and k_vs_all: "
							 "single precision, or bfloat16.",
							 "bfloat16 needs a processor with AMX-BF16 or AVX512-BF16.",
							 &hkg_precision, KGE_SINGLE, precisions,
							 PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomRealVariable("hybridkg.slice_seconds",
							 "Ranking, rating rules and lists that would take one thread so many seconds are divided among the nodes of a cluster.",
							 "Results do not depend on it. 0: all of it is divided. "
							 "-1: none is, and training stays on the coordinator.",
							 &hkg_slice_seconds, 5, -1, 1e9,
							 PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomBoolVariable("hybridkg.skip_unknown",
							 "Whether a question about an entity without a fact has no answer, in place of an error.",
							 NULL,
							 &hkg_skip_unknown, false,
							 PGC_USERSET, 0, NULL, NULL, NULL);
	MarkGUCPrefixReserved("hybridkg");
	dense_choose_kernels();
	copy_begin();
	question_join_begin();
}
