#include "rings.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../../../include/perfutil.h"
#include "../../../ring/layout.h"

static bool rings_view_allocate(struct rings_view *v)
{
	const struct shm_geometry *g = &v->session.geometry;

	v->rings = ring_reader_rings(&v->reader);
	v->parts = calloc(g->sections, sizeof *v->parts);
	v->later = calloc(g->sections, sizeof *v->later);
	v->content = calloc(g->sections, sizeof *v->content);
	v->present = calloc(g->sections, sizeof *v->present);
	v->bytes = malloc(g->section_size);
	v->settled = calloc((size_t)v->rings * g->sections, sizeof *v->settled);
	v->starts = calloc(v->rings, sizeof *v->starts);
	return v->parts && v->later && v->content && v->present && v->bytes && v->settled &&
	       v->starts;
}

static uint32_t status_of(int rc)
{
	switch (rc) {
	case PU_ERROR_DRIVER_NOT_LOADED:
		return ERROR_SUCCESS;
	case PU_ERROR_ACCESS_DENIED:
		return ERROR_ACCESS_DENIED;
	case PU_ERROR_NOT_ENOUGH_MEMORY:
		return ERROR_OUTOFMEMORY;
	case PU_ERROR_INVALID_PARAMETER:
		return ERROR_INVALID_PARAMETER;
	default:
		return ERROR_READ_FAULT;
	}
}

static uint32_t view_open(struct rings_view *v, const struct session_location *location)
{
	uint32_t status = ERROR_OUTOFMEMORY;
	int rc = session_open(&v->session, location, SESSION_READ, NULL);

	if (rc)
		return status_of(rc);
	v->open = true;
	if (v->session.rings_fd < 0)
		return ERROR_SUCCESS;
	v->control = calloc(SHM_MAX_RINGS, sizeof *v->control);
	if (!v->control)
		goto failed;
	rc = ring_reader_open(&v->reader, v->session.rings_fd, &v->session.geometry, v->control);
	if (rc)
		status = status_of(rc);
	else if (rings_view_allocate(v))
		return ERROR_SUCCESS;
failed:
	rings_view_close(v);
	return status;
}

void rings_view_close(struct rings_view *v)
{
	if (!v->open)
		return;
	ring_reader_close(&v->reader);
	free(v->control);
	free(v->parts);
	free(v->later);
	free(v->content);
	free(v->present);
	free(v->bytes);
	free(v->settled);
	free(v->starts);
	session_close(&v->session);
	*v = (struct rings_view){0};
}

/* Whether the open session is the one that would be opened now. */
static bool rings_view_is_current(
	const struct rings_view *v, const struct session_location *location)
{
	bool has_rings = v->session.rings_fd >= 0;
	struct stat st;

	return v->open && strcmp(v->session.location.dir, location->dir) == 0 &&
	       fstat(v->session.control_fd, &st) == 0 && st.st_nlink > 0 &&
	       session_is_current(&v->session) &&
	       has_rings == (v->session.control->state != SHM_NO_RINGS);
}

uint32_t rings_view_renew(struct rings_view *v)
{
	struct session_location location;
	int rc = session_find(&location, NULL);
	uint32_t status = rc ? status_of(rc) : ERROR_SUCCESS;

	if (rc || !rings_view_is_current(v, &location))
		rings_view_close(v);
	if (!rc && !v->open)
		status = view_open(v, &location);
	/* Copy the control words: a discard must not move the starts while the rings are read. */
	if (v->rings)
		memcpy(v->control, v->session.control->ring, v->rings * sizeof *v->control);
	return status;
}

/* --------------------------------------------------------------------------- one ring */

/* Caches a full section of finished hooks, so that it is copied only once. */
static int read_part(
	struct rings_view *v, uint32_t ring, const struct ring_part *part, struct part_content *c)
{
	const struct shm_geometry *g = &v->reader.geometry;
	struct settled *s = &v->settled[(size_t)ring * g->sections + part->index];
	struct ring_span span;
	int rc;

	*c = (struct part_content){.hooks = s->hooks, .bytes = s->bytes};
	if (s->entry == part->position + 1)
		return 0;
	s->entry = 0;
	rc = ring_reader_copy(&v->reader, ring, part, v->bytes, &span);
	if (rc)
		return rc;
	*c = (struct part_content){span.hooks, span.torn, span.bytes, span.damaged};
	if (span.torn == 0 && !span.damaged && !span.overwritten &&
		span.position + span.bytes == part->position + g->section_size)
		*s = (struct settled){part->position + 1, span.hooks, span.bytes};
	return 0;
}

/* Lists the ring's sections and counts the hooks in each. */
static int read_parts(struct rings_view *v, uint32_t ring)
{
	int parts = ring_reader_parts(&v->reader, ring, v->parts);

	if (parts < 0 || (uint32_t)parts > v->reader.geometry.sections)
		return -1;
	for (int i = 0; i < parts; i++)
		if (read_part(v, ring, &v->parts[i], &v->content[i]) != 0)
			return -1;
	return parts;
}

static void forget_discarded(struct rings_view *v, uint32_t ring)
{
	uint32_t sections = v->reader.geometry.sections;

	if (v->starts[ring] != v->control[ring].start)
		memset(&v->settled[(size_t)ring * sections], 0, sections * sizeof *v->settled);
	v->starts[ring] = v->control[ring].start;
}

/* Lists the sections still present, with the ledger of the same moment. */
static bool view_list_again(
	struct rings_view *v, uint32_t ring, uint32_t parts, struct ring_ledger *l)
{
	int later = ring_reader_list(&v->reader, ring, v->later, l), k = 0;

	for (uint32_t i = 0; i < parts; i++) {
		while (k < later && v->later[k].position < v->parts[i].position)
			k++;
		v->present[i] = k < later && v->later[k].position == v->parts[i].position;
	}
	return later >= 0;
}

struct content {
	uint64_t hooks, torn, bytes;
	bool damaged;
};

/*
 * Counts the hooks present and those in the ledger. The ledger counts sections that writers
 * overwrote while others were copied, so no hook counts twice and none that entered before is
 * missed. Hooks that enter meanwhile may belong to the next sample.
 */
static bool read_ring(
	struct rings_view *v, uint32_t ring, struct ring_ledger *ledger, struct content *content)
{
	int parts;

	forget_discarded(v, ring);
	parts = read_parts(v, ring);
	if (parts < 0 || !view_list_again(v, ring, (uint32_t)parts, ledger)) {
		ring_reader_ledger(&v->reader, ring, ledger);
		return false;
	}
	for (int i = 0; i < parts; i++) {
		const struct part_content *c = &v->content[i];

		if (!v->present[i])
			continue;
		content->hooks += c->hooks;
		content->torn += c->torn;
		content->bytes += c->bytes;
		content->damaged |= c->damaged;
	}
	return true;
}

static void rings_view_set_value(struct ring_figures *out, enum rings_column column, uint64_t value)
{
	out->value[column] = value;
	out->known |= 1u << column;
}

static uint64_t set_losses(struct ring_figures *out, const struct ring_ledger *l)
{
	uint64_t lost = shm_losses_sum(l->loss);

	rings_view_set_value(out, RINGS_LOST_RATE, lost);
	rings_view_set_value(out, RINGS_LOST_FULL, l->loss[SHM_LOST_FULL]);
	rings_view_set_value(out, RINGS_LOST_BIG, l->loss[SHM_LOST_BIG]);
	rings_view_set_value(out, RINGS_LOST_HELD, l->loss[SHM_LOST_HELD]);
	rings_view_set_value(out, RINGS_LOST_NO_GUEST, l->loss[SHM_LOST_NO_GUEST]);
	rings_view_set_value(out, RINGS_LOST_NO_SLOT, l->loss[SHM_LOST_NO_SLOT]);
	rings_view_set_value(out, RINGS_LOST_NO_MEMORY, l->loss[SHM_LOST_NO_MEMORY]);
	rings_view_set_value(out, RINGS_LOST_UNATTACHED, l->loss[SHM_LOST_UNATTACHED]);
	rings_view_set_value(out, RINGS_SKIPPED, l->loss[SHM_SKIPPED]);
	rings_view_set_value(out, RINGS_POSITION, l->head);
	rings_view_set_value(out, RINGS_BYTES_RATE, l->head);
	return lost;
}

/*
 * `entered` counts every hook that entered the ring. Drained hooks are still present or count as
 * overwritten. A hook may finish after the drain saw it torn, so only the drain's own sums show
 * which it was.
 */
static void set_hooks(struct rings_view *v, uint32_t ring, struct ring_figures *out,
	const struct ring_ledger *l, const struct content *c, uint64_t lost)
{
	const struct shm_ring_control *control = &v->control[ring];
	uint64_t entered = c->hooks + c->torn + l->overwritten + l->torn;
	uint64_t torn = c->torn + l->torn, held = c->hooks, bytes = c->bytes;

	if (v->reader.geometry.mode == SHM_MODE_CONTINUOUS) {
		uint32_t generation = v->session.generation;
		uint64_t drained = shm_figure_value(generation, control->drained), taken;

		torn = shm_figure_value(generation, control->drained_torn);
		taken = drained + torn;
		held = entered > taken ? entered - taken : 0;
		uint64_t released =
			ring_released(&v->reader.geometry, generation, control->released);
		bytes = held && l->head > released ? l->head - released : 0;
		rings_view_set_value(out, RINGS_DRAINED, drained);
	} else {
		rings_view_set_value(out, RINGS_OVERWRITTEN, l->overwritten);
	}
	rings_view_set_value(out, RINGS_ATTEMPTED, entered + lost);
	rings_view_set_value(out, RINGS_ATTEMPTED_RATE, entered + lost);
	rings_view_set_value(out, RINGS_WRITTEN, entered > torn ? entered - torn : 0);
	rings_view_set_value(out, RINGS_WRITTEN_RATE, entered > torn ? entered - torn : 0);
	rings_view_set_value(out, RINGS_TORN, torn);
	rings_view_set_value(out, RINGS_HELD, held);
	rings_view_set_value(out, RINGS_BYTES, bytes);
}

void rings_view_read(struct rings_view *v, uint32_t ring, struct ring_figures *out)
{
	struct content content = {0};
	struct ring_ledger ledger;
	bool whole = read_ring(v, ring, &ledger, &content);

	out->known = 0;
	rings_view_set_value(out, RINGS_SIZE, v->reader.geometry.ring_size);
	rings_view_set_value(out, RINGS_STATE, v->session.control->state);
	rings_view_set_value(out, RINGS_DAMAGED, ledger.damaged || content.damaged);
	if (ledger.damaged)
		return;

	uint64_t lost = set_losses(out, &ledger);

	if (whole)
		set_hooks(v, ring, out, &ledger, &content, lost);
}
