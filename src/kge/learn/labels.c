/*
 * labels.c
 *		The table of labellings, and the loss against labels (see labels.h).
 */
#include <math.h>

#include "labels.h"
#include "core/exponential.h"
#include "core/names.h"

static const NameTable labellings =
NAME_TABLE(
		   &kge_labelling_ruge, &kge_labelling_itere, &kge_labelling_plogicnet	/* compared */
);

const KgeLabelling *
kge_labelling(const char *name)
{
	return name_find(&labellings, name);
}

float
kge_label_evidence(float score, float evidence)
{
	return evidence < 1 ? evidence : 1;
}

/* y * log(1 + e^-s) + (1 - y) * log(1 + e^s) = log(1 + e^s) - y * s */
void
kge_label_loss(const KgeLabelling *labelling, int n, const float *s, const float *evidence, float weight,
			   float *g, float *loss)
{
	for (int i = 0; i < n; i++)
	{
		float		label = evidence[i] == KGE_FALSE ? 0 : labelling->label(s[i], evidence[i]);

		g[i] = weight * (sigmoid(s[i]) - label);
		loss[i] += weight * ((s[i] > 0 ? s[i] : 0) + log1pf(expf(-fabsf(s[i]))) - label * s[i]);
	}
}
