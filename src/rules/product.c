/*
 * product.c
 *		The product of two relations (see product.h).
 *
 * What x reaches is the union of right(z, .) over all z with left(x, z): it depends only on x's set
 * of z.  In knowledge graphs many x share that set (all people of one gender, all towns of one country), and
 * just these make the large products.  So the union is made once for each different set.  Sets are lists of
 * numbers of z in the order in which z came; a hash table finds equal ones.
 *
 * A union is made by stamping: stamp[y] is the serial number of the last union that contained y.
 *
 * hybridkg.max_memory is checked before memory is taken.
 */
#include "product.h"

#include "common/hashfn.h"
#include "port/pg_bitutils.h"

#include "server/host.h"
#include "server/growing_array.h"

struct Product
{
	Numbers		left_x;			/* the pairs of left: x ... */
	Numbers		left_z;			/* ... and the number of z */
	Numbers		right;			/* y of all z ... */
	int64	   *right_start;	/* ... those of z from here to the next start */
	int64		zs;
	int64		z_room;

	/* by x */
	int32	   *degree;			/* how many z it has */
	int64	   *set_start;		/* its set, in `set` */
	int32	   *next;			/* the next x with the same set, or -1 */
	int32	   *last;			/* the last one, of the first */
	Numbers		xs;				/* each x once */
	Numbers		leaders;		/* the first x of each set */
	Numbers		set;			/* all sets, one after the other */

	/* by y */
	uint64	   *stamp;
	uint64		serial;
	Numbers		same;			/* the x of a rectangle */
	int32	   *united;			/* and its y, with room for one more */

	/* x by its set, open addressing; -1 is empty */
	Numbers		slot;
	uint32		slot_mask;

	uint64		bytes;			/* of all arrays */
};

static void
check_memory(uint64 bytes)
{
	hkg_check_memory_or(bytes, "evaluating a rule's body", "use shorter rules");
}

/* Zeros, in the current memory context. */
static void *
zeros(Size count, Size size)
{
	return MemoryContextAllocExtended(CurrentMemoryContext, count * size,
									  MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
}

Product *
product_create(int32 rows)
{
	const Size	row = 4 * sizeof(int32) + sizeof(int64) + sizeof(uint64);
	Product    *product = palloc0(sizeof(Product));

	product->bytes = ((uint64) rows + 1) * row;
	check_memory(product->bytes);
	product->degree = zeros(rows, sizeof(int32));
	product->set_start = zeros(rows, sizeof(int64));
	product->next = zeros(rows, sizeof(int32));
	product->last = zeros(rows, sizeof(int32));
	product->stamp = zeros(rows, sizeof(uint64));
	product->united = zeros((Size) rows + 1, sizeof(int32));
	return product;
}

/* As array_reserve.  While an array grows, the old one exists beside the new one. */
static void *
reserve_array(Product *product, void *array, int64 count, int64 *room, Size size)
{
	int64		grown = array_room(count, *room);

	if (grown > *room)
	{
		check_memory(product->bytes + grown * size);
		product->bytes += (grown - *room) * size;
	}
	return array_reserve(array, count, room, size);
}

static void
reserve(Product *product, Numbers *numbers, int64 count)
{
	numbers->value = reserve_array(product, numbers->value, count, &numbers->room, sizeof(int32));
}

static void
append(Product *product, Numbers *numbers, int32 value)
{
	if (numbers->count == numbers->room)
		reserve(product, numbers, numbers->count + 1);
	numbers->value[numbers->count++] = value;
}

void
product_next(Product *product)
{
	product->right_start = reserve_array(product, product->right_start, product->zs + 2,
										 &product->z_room, sizeof(int64));
	product->right_start[product->zs++] = product->right.count;
}

void
product_add_left(Product *product, int32 x)
{
	append(product, &product->left_x, x);
	append(product, &product->left_z, product->zs - 1);
	if (product->degree[x]++ == 0)
		append(product, &product->xs, x);
}

void
product_add_right(Product *product, int32 y)
{
	append(product, &product->right, y);
}

/* Gathers each x's set of z. */
static void
make_sets(Product *product)
{
	int64		start = 0;

	reserve(product, &product->set, product->left_x.count);
	for (int64 i = 0; i < product->xs.count; i++)
	{
		int32		x = product->xs.value[i];

		product->set_start[x] = start;
		start += product->degree[x];
		product->degree[x] = 0;
	}
	for (int64 i = 0; i < product->left_x.count; i++)
	{
		int32		x = product->left_x.value[i];

		product->set.value[product->set_start[x] + product->degree[x]++] = product->left_z.value[i];
	}
}

static void
make_slots(Product *product)
{
	int64		slots = pg_nextpower2_64(2 * Max(product->xs.count, 1));

	reserve(product, &product->slot, slots);
	memset(product->slot.value, -1, slots * sizeof(int32));
	product->slot_mask = slots - 1;
}

/* The slot of x's set: that of an earlier x with the same set, or an empty one. */
static int32 *
find_slot(Product *product, int32 x)
{
	const int32 *set = &product->set.value[product->set_start[x]];
	Size		bytes = product->degree[x] * sizeof(int32);
	uint32		i = hash_bytes((const unsigned char *) set, bytes);

	for (i &= product->slot_mask;; i = (i + 1) & product->slot_mask)
	{
		int32		other = product->slot.value[i];

		if (other < 0 ||
			(product->degree[other] == product->degree[x] &&
			 memcmp(&product->set.value[product->set_start[other]], set, bytes) == 0))
			return &product->slot.value[i];
	}
}

/* Chains the x that share a set. */
static void
chain_sets(Product *product)
{
	for (int64 i = 0; i < product->xs.count; i++)
	{
		int32		x = product->xs.value[i];
		int32	   *slot = find_slot(product, x);

		hkg_check_interrupts();
		product->next[x] = -1;
		if (*slot < 0)
		{
			*slot = x;
			append(product, &product->leaders, x);
		}
		else
			product->next[product->last[*slot]] = x;
		product->last[*slot] = x;
	}
}

/* Puts the different y that the z of x's set reach into `united`; returns how many. */
static int32
unite(Product *product, int32 x)
{
	const int32 *set = &product->set.value[product->set_start[x]];
	uint64		serial = ++product->serial;
	int32		count = 0;

	for (int32 i = 0; i < product->degree[x]; i++)
	{
		const int32 *y = &product->right.value[product->right_start[set[i]]];
		const int32 *end = &product->right.value[product->right_start[set[i] + 1]];

		for (; y < end; y++)
		{
			product->united[count] = *y;
			count += product->stamp[*y] != serial;
			product->stamp[*y] = serial;
		}
	}
	return count;
}

static void
gather_same(Product *product, int32 leader)
{
	product->same.count = 0;
	for (int32 x = leader; x >= 0; x = product->next[x])
		append(product, &product->same, x);
}

void
product_each(Product *product, void (*take) (void *argument, const Rectangle *rectangle), void *argument)
{
	if (product->zs == 0)
		return;
	product->right_start[product->zs] = product->right.count;
	make_sets(product);
	make_slots(product);
	chain_sets(product);
	for (int64 i = 0; i < product->leaders.count; i++)
	{
		int32		leader = product->leaders.value[i];
		int32		count = unite(product, leader);

		hkg_check_interrupts();
		gather_same(product, leader);
		take(argument, &(Rectangle) {product->same.value, product->same.count, product->united, count});
	}
}

void
product_clear(Product *product)
{
	for (int64 i = 0; i < product->xs.count; i++)
		product->degree[product->xs.value[i]] = 0;
	product->left_x.count = 0;
	product->left_z.count = 0;
	product->right.count = 0;
	product->xs.count = 0;
	product->leaders.count = 0;
	product->set.count = 0;
	product->zs = 0;
}
