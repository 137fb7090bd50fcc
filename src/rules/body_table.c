/*
 * body_table.c
 *		The bodies of one component, numbered and counted (see body_table.h).
 */
#include "body_table.h"

#include "server/growing_array.h"
#include "server/host.h"

#define LARGEST_ARRAY (INT64CONST(1) << 22) /* slots */
#define FIRST_ROOM 1024			/* bodies */
#define AT_ONCE (1 << 16)

/* Free slots, in the current memory context. */
static void
make_slots(BodyTable *table, int64 slots)
{
	mining_check_growth(table->mining, slots * sizeof(int32));
	table->slots = slots;
	table->slot = array_new(int32, slots);
	for (int64 i = 0; i < slots; i += AT_ONCE)
	{
		hkg_check_interrupts();
		memset(table->slot + i, -1, Min(AT_ONCE, slots - i) * sizeof(int32));
	}
}

static void
fill_slots(BodyTable *table)
{
	for (int64 i = 0; i < table->count; i++)
	{
		if (i % AT_ONCE == 0)
			hkg_check_interrupts();
		table->slot[body_table_slot(table, table->body[i].key)] = (int32) i;
	}
}

void
body_table_create(BodyTable *table, const Mining *mining, int64 prefixes, int64 labels)
{
	bool		hashed = prefixes > LARGEST_ARRAY / Max(labels, 1);

	*table = (BodyTable) {.mining = mining,.labels = labels,.hashed = hashed};
	make_slots(table, hashed ? 2 * FIRST_ROOM : Max(prefixes * labels, 1));
}

void
body_table_grow(BodyTable *table)
{
	int64		room = array_room(table->count + 1, table->room);

	if (room > PG_INT32_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("mining counts more than %d bodies of one kind", PG_INT32_MAX),
				 errhint("Raise min_support or min_head_coverage.")));
	mining_check_growth(table->mining, (room - table->room) * sizeof(CountedBody));
	table->body = array_reserve(table->body, room, &table->room, sizeof(CountedBody));
	if (table->hashed && 2 * room > table->slots)
	{
		pfree(table->slot);
		make_slots(table, pg_nextpower2_64(2 * room));
		fill_slots(table);
	}
}

void
body_table_keep(BodyTable *table, int32 support)
{
	int64		kept = 0;

	for (int64 i = 0; i < table->count; i++)
	{
		CountedBody body = table->body[i];

		if (i % AT_ONCE == 0)
			hkg_check_interrupts();
		if (!table->hashed)
			table->slot[body.key] = -1;
		if (body.support < support || (body.constant >= 0 && body.binding != TWO_BINDINGS))
			continue;
		body.last = -1;
		table->body[kept++] = body;
	}
	table->count = kept;
	if (table->hashed)
	{
		pfree(table->slot);
		make_slots(table, pg_nextpower2_64(Max(2 * kept, 1)));
	}
	fill_slots(table);
}
