/*
 * best_threshold.c
 *		The score that parts true triples from false ones.
 */
#include <math.h>

#include "rank.h"

/*
 * A cut lies between two neighbouring scores, or beyond the ends.  Of cuts that are equally right
 * the one in the widest gap is taken, and of equal gaps the highest.
 */
double
kge_threshold(const KgeLabelled *labelled, int64_t count, int64_t *right)
{
	int64_t		correct = 0;
	double		widest = 0;
	double		threshold = 0;

	for (int64_t i = 0; i < count; i++)
		correct += !labelled[i].truth;
	*right = correct;
	if (count > 0)
		threshold = nextafter(labelled[0].score, INFINITY);
	for (int64_t i = 0; i < count; i++)
	{
		double		score = labelled[i].score;
		double		next = i + 1 < count ? labelled[i + 1].score : score;

		correct += labelled[i].truth ? 1 : -1;
		if (next == score && i + 1 < count)
			continue;
		if (correct > *right || (correct == *right && score - next > widest))
		{
			*right = correct;
			widest = score - next;
			threshold = next + (score - next) / 2;
		}
	}
	return threshold;
}
