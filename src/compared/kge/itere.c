/*
 * itere.c
 *		Axioms between relations, as far as their embeddings have them (Zhang et al. 2019).
 *
 * A relation of distmult or complex multiplies each dimension of the head to come to the tail.  So r(X,Y) <= b(X,Y)
 * holds for all entities where b = r, r(X,Y) <= b(Y,X) where b r = 1, and r(X,Y) <= b(X,A), c(A,Y) where b c = r.  How
 * far an axiom is from that is a Euclidean distance.  The label of what it infers is its score, the evidence.
 */
#include "compared.h"
#include "kge/score/score_function.h"

const KgeLabelling kge_labelling_itere = {
	.name = "itere",
	.label = kge_label_evidence,
	.terms = true
};

bool
kge_has_axioms(const KgeScoreFunction *function)
{
	return function == kge_score_function("distmult") || function == kge_score_function("complex");
}

/* What a dimension is multiplied by */
typedef struct Multiplier
{
	double		re;
	double		im;
} Multiplier;

static Multiplier
factor_of(const KgeModel *model, int32_t relation, int j)
{
	int			d = model->dimensions;
	bool		has_im = kge_relation_width(model->function, d) > d;
	const float *row = kge_relation_row(model, relation);

	return (Multiplier) {row[j], has_im ? row[d + j] : 0};
}

static Multiplier
product(Multiplier a, Multiplier b)
{
	return (Multiplier) {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

double
kge_axiom_distance(const KgeModel *model, KgeAxiom axiom)
{
	double		sum = 0;

	for (int j = 0; j < model->dimensions; j++)
	{
		Multiplier	head = factor_of(model, axiom.head, j);
		Multiplier	body = factor_of(model, axiom.body[0], j);
		Multiplier	aim = axiom.kind == KGE_AXIOM_INVERSE ? (Multiplier) {1, 0} : head;

		if (axiom.kind == KGE_AXIOM_INVERSE)
			body = product(body, head);
		else if (axiom.kind == KGE_AXIOM_CHAIN)
			body = product(body, factor_of(model, axiom.body[1], j));
		sum += (body.re - aim.re) * (body.re - aim.re) + (body.im - aim.im) * (body.im - aim.im);
	}
	return sqrt(sum);
}
