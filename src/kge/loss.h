/*
 * loss.h
 *		Losses over a block of scores.
 */
#ifndef KGE_LOSS_H
#define KGE_LOSS_H

/*
 * The logistic loss of `rows` x n scores, s[row * stride + i], all with label
 * y = 1 or all with y = 0.  Fills g with its derivative by each score, times
 * weight[i], and adds to loss[i] the losses of column i, times weight[i].
 */
extern void kge_logistic_loss(int rows, int n, int label, const float *s, int stride,
							  const float *weight, float *g, float *loss);

#endif							/* KGE_LOSS_H */
