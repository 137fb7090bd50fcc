/*
 * component.c
 *		The shapes of which bodies consist, generated (see component.h).
 *
 * Every component grows from one of a single atom, atom by atom.  Those are kept that fewer further atoms
 * can turn into a body than the language has room for; of equal ones, up to the names of A and B, the first.
 */
#include "component.h"

typedef struct ComponentGrowth
{
	int			body_atoms;
	bool		constants;
	Components *components;
} ComponentGrowth;

/* ---- one component within another ------------------------------------------------- */

typedef struct Embedding
{
	const Component *inner;
	Component  *outer;
	int			image[VARIABLES];	/* of the inner one's variables; -1: none yet */
	unsigned	used;			/* atoms of the outer one */
	ComponentPart part;
	bool		(*take) (struct Embedding *embedding);
} Embedding;

/* X and Y stand for themselves, other variables for different ones. */
static bool
bind_term(Embedding *embedding, int term, int image)
{
	if (term < A || term == CONSTANT || image < A || image == CONSTANT)
		return term == image;
	/* cppcheck-suppress arrayIndexOutOfBoundsCond ; terms are at most CONSTANT, which is VARIABLES */
	if (embedding->image[term] >= 0)
		return embedding->image[term] == image;
	for (int i = A; i < VARIABLES; i++)
		if (embedding->image[i] == image)
			return false;
	embedding->image[term] = image;
	return true;
}

/* Tries all ways to find the inner one's atoms, from number k on, in the outer one; true when one is taken. */
static bool
embed(Embedding *embedding, int k)
{
	Embedding	before = *embedding;

	if (k == embedding->inner->atoms)
		return embedding->take(embedding);
	for (int i = 0; i < 2 * embedding->outer->atoms; i++)
	{
		Step		mine = embedding->inner->step[k];
		Step		step = embedding->outer->step[i / 2];
		bool		mirrored = i % 2 == 1;

		*embedding = before;
		if ((embedding->used & (1U << (i / 2))) != 0 ||
			!bind_term(embedding, mine.from, mirrored ? step.to : step.from) ||
			!bind_term(embedding, mine.to, mirrored ? step.from : step.to))
			continue;
		embedding->used |= 1U << (i / 2);
		embedding->part.atom[k] = i / 2;
		embedding->part.mirrored[k] = mirrored;
		if (embed(embedding, k + 1))
			return true;
	}
	return false;
}

static Embedding
embedding_of(const Components *components, int inner, Component *outer, bool (*take) (Embedding *embedding))
{
	Embedding	embedding = {
		.inner = &components->component[inner],.outer = outer,.part = {.component = inner},.take = take
	};

	for (int i = 0; i < VARIABLES; i++)
		embedding.image[i] = -1;
	return embedding;
}

static bool
take_any(Embedding *embedding)
{
	return true;
}

/* Parts without the last atom are within the prefix. */
static bool
take_part(Embedding *embedding)
{
	Component  *outer = embedding->outer;

	if ((embedding->used & (1U << (outer->atoms - 1))) != 0)
	{
		Assert(outer->parts < MAX_PARTS);
		outer->part[outer->parts++] = embedding->part;
	}
	return false;
}

/* ---- growth ------------------------------------------------------------------------- */

/* How many variables, from `first` on, are in one atom alone, the head counted; they lack another one. */
static int
lacking_variables(const Component *component, int first)
{
	int			uses[VARIABLES + 1] = {1, 1};
	int			lacking = 0;

	for (int i = 0; i < component->atoms; i++)
	{
		uses[component->step[i].from]++;
		uses[component->step[i].to]++;
	}
	for (int i = first; i < VARIABLES; i++)
		lacking += uses[i] == 1;
	return lacking;
}

static void
grow(const ComponentGrowth *growth, const Component *base, int from, int to)
{
	Components *components = growth->components;
	Component	grown = *base;

	if (base->atoms == growth->body_atoms)
		return;
	grown.step[grown.atoms] = (Step) {from, to};
	grown.prefix[grown.atoms++] = components->count;
	grown.end[X] |= from == X;
	grown.end[Y] |= from == Y || to == Y;
	grown.complete = lacking_variables(&grown, A) == 0;
	grown.constant = to == CONSTANT;
	grown.parts = 0;
	/* a further atom can mend two */
	if (grown.atoms + (lacking_variables(&grown, X) + 1) / 2 > growth->body_atoms)
		return;

	/* an equal one is there */
	for (int i = 0; i < components->count; i++)
	{
		Embedding	embedding = embedding_of(components, i, &grown, take_any);

		if (components->component[i].atoms == grown.atoms && embed(&embedding, 0))
			return;
	}

	/* what stands at one end alone and is complete is counted late, and not of all facts (rule_search.c): it bounds nothing */
	for (int i = 0; i < components->count; i++)
	{
		const Component *inner = &components->component[i];
		Embedding	embedding = embedding_of(components, i, &grown, take_part);

		if (inner->atoms < grown.atoms && !(inner->complete && !(inner->end[X] && inner->end[Y])))
			embed(&embedding, 0);
	}
	Assert(components->count < MAX_COMPONENTS);
	components->component[components->count++] = grown;
}

/* Adds an atom, at a variable of the component's own: first between two that it has, last with a constant. */
static void
grow_all(const ComponentGrowth *growth, const Component *base)
{
	int			fresh = A;		/* the lowest variable that is not in it */

	for (int i = 0; i < base->atoms; i++)
		fresh = Max(fresh, base->step[i].to + 1);
	for (int to = A; to < fresh; to++)
		for (int from = to - 1; from >= X; from--)
			grow(growth, base, from, to);
	for (int from = A; from < fresh; from++)
	{
		if (fresh < VARIABLES)
			grow(growth, base, from, fresh);
		if (growth->constants)
			grow(growth, base, from, CONSTANT);
	}
}

void
components_generate(int body_atoms, bool constants, Components *components)
{
	ComponentGrowth growth = {body_atoms, constants, components};
	Component	none = {0};

	Assert(body_atoms <= BODY_ATOMS);
	components->count = 0;
	grow(&growth, &none, X, Y);
	for (int end = X; end <= Y; end++)
	{
		if (constants)
			grow(&growth, &none, end, CONSTANT);
		grow(&growth, &none, end, A);
	}
	for (int i = 0; i < components->count; i++)
	{
		Component	base = components->component[i];

		if (base.step[0].to != Y && !base.constant)
			grow_all(&growth, &base);
	}
}
