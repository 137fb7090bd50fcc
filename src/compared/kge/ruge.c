/*
 * ruge.c
 *		Soft labels by embeddings and rules (Guo et al. 2018).
 *
 * A rule of confidence c whose body holds adds the loss c * (1 - s), where s is the label of what it infers.  The label
 * also stays near the truth value sigma that the embeddings give.  It minimises
 *
 *		(s - sigma)^2 / 2 + C * sum of c * (1 - s)	over 0 <= s <= 1,
 *
 * which sigma + C * sum of c does, brought into [0, 1].  The evidence is C * sum of c.  The mean over inferred triples of
 * -s log sigma - (1 - s) log(1 - sigma) is added to the loss; no gradient flows through s.
 */
#include "core/exponential.h"
#include "kge/learn/labels.h"

static float
label(float score, float evidence)
{
	float		s = sigmoid(score) + evidence;

	return s < 1 ? s : 1;
}

const KgeLabelling kge_labelling_ruge = {
	.name = "ruge",
	.label = label
};
