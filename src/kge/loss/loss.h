/*
 * loss.h
 *		Losses over a block of scores.
 */
#ifndef HKG_KGE_LOSS_H
#define HKG_KGE_LOSS_H

/*
 * The logistic loss of `rows` x n scores, s[row * stride + i], all with label
 * y = 1 or all with y = 0.  Fills g with its derivative by each score, times its
 * weight[row * weight_stride + i], and adds to loss[i] the losses of column i, times
 * their weights.
 */
extern void kge_logistic_loss(int rows, int n, int label, const float *s, int stride,
							  const float *weight, int weight_stride, float *g, float *loss);

/*
 * The margin loss of rows x n scores against the positives' own: max(0, margin + s -
 * own[i]).  Fills g and adds to loss as above, and adds to own_g[i] the derivative by own[i].
 */
extern void kge_margin_loss(int rows, int n, float margin, const float *own, const float *s,
							int stride, const float *weight, int weight_stride, float *g,
							float *own_g, float *loss);

/*
 * The softmax's parts of rows x n scores, by column: maximum[i], and sum[i] =
 * sum of exp(s - maximum[i]).
 */
extern void kge_softmax_sums(int rows, int n, const float *s, int stride,
							 float *maximum, float *sum);

/* The same, and s becomes exp(s - maximum[i]); then g = factor[i] * that. */
extern void kge_softmax_parts(int rows, int n, float *s, int stride, float *maximum, float *sum);
extern void kge_scale_parts(int rows, int n, const float *parts, int stride,
							const float *factor, float *g);

/* g, which may be s, = weight[i] * exp(s - log_sum[i]), for rows x n scores. */
extern void kge_softmax(int rows, int n, const float *s, int stride,
						const float *log_sum, const float *weight, float *g);

#endif							/* HKG_KGE_LOSS_H */
