/*
 * SWTRACE Rings: its instances and their values.
 */
#include <stdio.h>
#include <stdlib.h>

#include "rings.h"
#include "../sets.h"

/* Names a ring by its processor's number, or as a guest ring. */
static bool add_ring(struct rows *rows, const struct rings_view *v, uint32_t ring)
{
	uint32_t cpus = v->reader.geometry.cpus;
	char name[32];
	int length = ring < cpus ? snprintf(name, sizeof name, "%u", ring)
				 : snprintf(name, sizeof name, "guest %u", ring - cpus);

	return rows_add(
		rows, name, (size_t)length, ring < cpus ? ring : INSTANCE_GROUP + ring - cpus);
}

static void set_figures(struct rows *rows, const struct ring_figures *f)
{
	for (uint32_t i = 0; i < RINGS_COLUMNS; i++)
		if (f->known & 1u << i)
			rows_set(rows, i, f->value[i]);
}

/* A sum with an unknown part is unknown; positions have no sum. */
static void add_figures(struct ring_figures *sum, const struct ring_figures *f, bool first)
{
	sum->known = first ? f->known & ~(1u << RINGS_POSITION) : sum->known & f->known;
	for (uint32_t i = 0; i < RINGS_COLUMNS; i++)
		if (i == RINGS_STATE || i == RINGS_DAMAGED)
			sum->value[i] |= f->value[i];
		else
			sum->value[i] += f->value[i];
}

/* Adds the total's row first and fills it in after the rings. */
static uint32_t rings_add_rows(struct rings_view *v, struct rows *rows, bool values)
{
	struct ring_figures sum = {0};
	uint32_t first = rows->used, used;

	if (v->rings == 0)
		return ERROR_SUCCESS;
	if (!rows_add(rows, "_Total", 6, INSTANCE_ALL))
		return ERROR_OUTOFMEMORY;
	for (uint32_t ring = 0; ring < v->rings; ring++) {
		struct ring_figures f = {0};

		if (!add_ring(rows, v, ring))
			return ERROR_OUTOFMEMORY;
		if (!values)
			continue;
		rings_view_read(v, ring, &f);
		set_figures(rows, &f);
		add_figures(&sum, &f, ring == 0);
	}
	used = rows->used;
	rows->used = first + 1;
	set_figures(rows, &sum);
	rows->used = used;
	return ERROR_SUCCESS;
}

static uint32_t rings_set_open(const struct counterset *set, void **state)
{
	(void)set;
	*state = calloc(1, sizeof(struct rings_view));
	return *state ? ERROR_SUCCESS : ERROR_OUTOFMEMORY;
}

static void rings_set_close(const struct counterset *set, void *state)
{
	(void)set;
	rings_view_close(state);
	free(state);
}

static uint32_t rings_set_instances(const struct counterset *set, struct rows *rows)
{
	struct rings_view v = {0};
	uint32_t status = rings_view_renew(&v);

	(void)set;
	if (status == ERROR_SUCCESS)
		status = rings_add_rows(&v, rows, false);
	rings_view_close(&v);
	return status;
}

static uint32_t rings_set_collect(const struct counterset *set, void *state, const uint64_t *wanted,
	const struct sample_time *time, struct rows *rows)
{
	uint32_t status = rings_view_renew(state);

	(void)set;
	(void)wanted;
	(void)time;
	return status == ERROR_SUCCESS ? rings_add_rows(state, rows, true) : status;
}

static const struct counterset_operations rings_operations = {
	.open = rings_set_open,
	.close = rings_set_close,
	.instances = rings_set_instances,
	.collect = rings_set_collect,
};

const struct counterset rings_set = {&rings_definition, &rings_operations, NULL};
