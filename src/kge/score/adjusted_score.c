/*
 * adjusted_score.c
 *		A score and what is added to it: scale * (phi + weight * addition).
 *
 * This is the one place where they are added up.  Searches compare phi + weight * addition, which has the order of the
 * scores, so a sum that is not linear needs other bounds in kge/search.  The weights are fitted to the same sum
 * (evidence/weights.c).
 */
#include "kge/kge.h"

static double
scale_of(const KgeAdjustment *adjustment, int32_t relation, Side side)
{
	return adjustment->scale == NULL ? 1 : adjustment->scale[2 * relation + (int32_t) side];
}

double
kge_adjustment_weight(const KgeAdjustment *adjustment, int32_t relation, Side side)
{
	return adjustment->weight == NULL ? 1 : adjustment->weight[2 * relation + (int32_t) side];
}

double
kge_adjusted_score(const KgeAdjustment *adjustment, int32_t relation, Side side, double phi, double addition)
{
	if (adjustment == NULL)
		return phi;
	return scale_of(adjustment, relation, side) * (phi + kge_adjustment_weight(adjustment, relation, side) * addition);
}

double
kge_adjusted_share(const KgeAdjustment *adjustment, int32_t relation, Side side, double addition)
{
	return scale_of(adjustment, relation, side) * kge_adjustment_weight(adjustment, relation, side) * addition;
}

double
kge_adjusted_phi(const KgeAdjustment *adjustment, int32_t relation, Side side, double score)
{
	return adjustment == NULL ? score : score / scale_of(adjustment, relation, side);
}
