/*
 * adjustment.c
 *		Scores with what an adjustment adds (see kge.h).
 */
#include "kge/kge.h"

double
kge_adjustment_weight(const KgeAdjustment *adjustment, int32_t relation, Side side)
{
	return adjustment->weight == NULL ? 1 : adjustment->weight[2 * relation + (int32_t) side];
}

double
kge_adjustment_scale(const KgeAdjustment *adjustment, int32_t relation, Side side)
{
	return adjustment->scale == NULL ? 1 : adjustment->scale[2 * relation + (int32_t) side];
}

double
kge_adjusted_score(const KgeAdjustment *adjustment, int32_t relation, Side side, double phi, double addition)
{
	if (adjustment == NULL)
		return phi;
	return kge_adjustment_scale(adjustment, relation, side) *
		(phi + kge_adjustment_weight(adjustment, relation, side) * addition);
}
