#include "image.h"

#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/search.h"
#include "../../../formats/base/utf8.h"
#include "../../core/file.h"

_Static_assert((int)PROV_COUNTERS == (int)COUNTERSET_COUNTERS, "what is handed on");
_Static_assert((int)PROV_INSTANCES == (int)COUNTERSET_INSTANCES, "what is handed on");
_Static_assert((int)PROV_NAME_MAX + 1 == (int)COUNTERSET_NAME_BYTES, "what is handed on");
_Static_assert((int)PROV_HELP_MAX + 1 == (int)COUNTERSET_HELP_BYTES, "what is handed on");
_Static_assert((int)PROV_INSTANCE_NAME_MAX + 1 == (int)PERF_MAX_INSTANCE_NAME, "what is handed on");
_Static_assert(UINT32_MAX == PERF_NO_COUNTER, "a base that is none");

static uint32_t image_read_bytes(int fd, void *to, size_t bytes, uint64_t at)
{
	size_t have = 0;

	while (have < bytes) {
		ssize_t n = file_pread(fd, (char *)to + have, bytes - have, (off_t)(at + have));

		if (n < 0)
			return ERROR_READ_FAULT;
		if (n == 0)
			return ERROR_INVALID_DATA;
		have += (size_t)n;
	}
	return ERROR_SUCCESS;
}

/* -------------------------------------------------------------------------- header */

struct sums {
	uint32_t sets, end;
	uint32_t slots[PROV_SETS];
};

static bool block_is_sane(const struct prov_block *b, struct sums *sums)
{
	if (b->offset % PROV_LINE || b->offset < sums->end || b->bytes == 0 ||
		b->bytes > PROV_FILE_MAX || b->offset > PROV_FILE_MAX - b->bytes)
		return false;
	sums->end = b->offset + b->bytes;
	if (b->kind == PROV_SET)
		return b->set == sums->sets++ && b->set < PROV_SETS && b->slots == 0 &&
		       b->name_room == 0 && b->bytes >= sizeof(struct prov_set) &&
		       b->bytes <= PROV_SET_MAX;
	if (b->kind != PROV_INSTANCES_OF || b->set >= sums->sets || b->slots == 0 ||
		b->slots > PROV_INSTANCES - sums->slots[b->set] || b->bytes % b->slots ||
		(b->name_room != PROV_ROOM_SHORT && b->name_room != PROV_ROOM_LONG))
		return false;
	sums->slots[b->set] += b->slots;
	/* All slots have one size, between those for the fewest and the most counters; image_rows
	 * checks the exact size. */
	return b->bytes / b->slots >= prov_slot_bytes(b->name_room, 1) &&
	       b->bytes / b->slots <= prov_slot_bytes(b->name_room, PROV_COUNTERS);
}

uint32_t image_read(int fd, struct image *im)
{
	struct prov_header *h = &im->header;
	struct sums sums = {.end = PROV_HEADER_BYTES};
	uint32_t rc = image_read_bytes(fd, h, offsetof(struct prov_header, block), 0);

	if (rc)
		return rc;
	if (h->magic != PROV_MAGIC || h->version != PROV_VERSION || h->blocks > PROV_BLOCKS)
		return ERROR_INVALID_DATA;
	/* Acquire: pairs with offer_publish's release, so the blocks counted are complete.
	 * tests/litmus/image-count.litmus */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	rc = image_read_bytes(
		fd, h->block, h->blocks * sizeof *h->block, offsetof(struct prov_header, block));
	for (uint32_t i = 0; !rc && i < h->blocks; i++)
		if (!block_is_sane(&h->block[i], &sums))
			rc = ERROR_INVALID_DATA;
	return rc;
}

/* ----------------------------------------------------------------------- definition */

static bool text_is_inside(const struct prov_text *t, uint32_t block, uint32_t most)
{
	return t->bytes <= most && t->offset <= block && t->bytes <= block - t->offset;
}

/* Upper bound of a text's size after repair, with its NUL. */
static size_t room_for(const struct prov_text *t, uint32_t most)
{
	return (3 * (size_t)t->bytes < most ? 3 * (size_t)t->bytes : most) + 1;
}

static bool counter_is_sane(const struct prov_counter *c, uint32_t block)
{
	const uint32_t size = c->type & PERF_SIZE_MASK;

	return c->id != PERF_WILDCARD_COUNTER &&
	       (size == PERF_SIZE_DWORD || size == PERF_SIZE_LARGE) &&
	       !(c->attrib & PERF_ATTRIB_BY_REFERENCE) && c->scale >= PROV_SCALE_MIN &&
	       c->scale <= PROV_SCALE_MAX && c->aggregate <= PERF_AGGREGATE_MAX &&
	       text_is_inside(&c->name, block, PROV_NAME_MAX) &&
	       text_is_inside(&c->help, block, PROV_HELP_MAX);
}

static bool has_counter(const struct prov_set *s, uint32_t id)
{
	struct search at = {0, s->counters};

	while (at.low < at.high)
		search_narrow(&at, s->counter[search_middle(&at)].id < id);
	return at.low < s->counters && s->counter[at.low].id == id;
}

/* Checks a copied block. *texts: the bytes that its texts need. */
static bool set_is_sane(const struct prov_set *s, uint32_t bytes, size_t *texts)
{
	if ((s->type != PERF_COUNTERSET_SINGLE_INSTANCE &&
		    s->type != PERF_COUNTERSET_MULTI_INSTANCES) ||
		s->counters == 0 || s->counters > PROV_COUNTERS ||
		s->counters > (bytes - sizeof *s) / sizeof *s->counter ||
		!text_is_inside(&s->name, bytes, PROV_NAME_MAX) ||
		!text_is_inside(&s->help, bytes, PROV_HELP_MAX))
		return false;
	*texts = room_for(&s->name, PROV_NAME_MAX) + room_for(&s->help, PROV_HELP_MAX);
	for (uint32_t i = 0; i < s->counters; i++) {
		const struct prov_counter *c = &s->counter[i];

		if (!counter_is_sane(c, bytes) || (i && c->id <= s->counter[i - 1].id))
			return false;
		*texts += room_for(&c->name, PROV_NAME_MAX) + room_for(&c->help, PROV_HELP_MAX);
	}
	for (uint32_t i = 0; i < s->counters; i++) {
		const struct prov_counter *c = &s->counter[i];

		if (c->base != PERF_NO_COUNTER && (c->base == c->id || !has_counter(s, c->base)))
			return false;
	}
	return true;
}

/* Where a definition's texts are copied to. */
struct texts {
	const char *block;
	char *at;
	bool unnamed; /* some name is empty */
};

static const char *image_copy_help(struct texts *t, const struct prov_text *from, uint32_t most)
{
	const char *bytes = t->block + from->offset;
	char *text = t->at;

	t->at += utf8_copy_clean(
			 text, room_for(from, most) - 1, bytes, strnlen(bytes, from->bytes)) +
		 1;
	return text;
}

static const char *image_copy_name(struct texts *t, const struct prov_text *from)
{
	const char *name = image_copy_help(t, from, PROV_NAME_MAX);

	t->unnamed = t->unnamed || !*name;
	return name;
}

/* A definition's memory: this structure, its counters, its texts. */
struct whole {
	struct counterset_definition definition;
	struct counter_definition counter[];
};

static uint32_t make_definition(const struct image *im, const struct prov_set *s, size_t texts,
	struct counterset_definition **definition, size_t *bytes)
{
	const struct prov_text program = {.bytes = sizeof im->header.program};
	const size_t fixed = sizeof(struct whole) + s->counters * sizeof(struct counter_definition);
	struct texts t = {.block = im->header.program};
	struct whole *w;
	struct counterset_definition *d;

	*bytes = fixed + texts + room_for(&program, PROV_NAME_MAX);
	w = calloc(1, *bytes);
	if (!w)
		return ERROR_OUTOFMEMORY;
	d = &w->definition;
	t.at = (char *)w + fixed;
	d->provider_name = image_copy_help(&t, &program, PROV_NAME_MAX);
	t.block = (const char *)s;
	memcpy(&d->guid, s->guid, sizeof d->guid);
	memcpy(&d->provider, im->header.guid, sizeof d->provider);
	d->type = s->type;
	d->detail = s->detail;
	d->ncounters = s->counters;
	d->counter = w->counter;
	d->name = image_copy_name(&t, &s->name);
	d->help = image_copy_help(&t, &s->help, PROV_HELP_MAX);
	for (uint32_t i = 0; i < s->counters; i++) {
		const struct prov_counter *c = &s->counter[i];

		w->counter[i] = (struct counter_definition){.id = c->id,
			.type = c->type,
			.attrib = c->attrib,
			.detail = c->detail,
			.scale = c->scale,
			.base = c->base,
			.aggregate = c->aggregate,
			.name = image_copy_name(&t, &c->name),
			.help = image_copy_help(&t, &c->help, PROV_HELP_MAX)};
	}
	if (t.unnamed) {
		free(w);
		return ERROR_INVALID_DATA;
	}
	*definition = d;
	return ERROR_SUCCESS;
}

uint32_t image_definition(int fd, const struct image *im, uint32_t block,
	struct counterset_definition **definition, size_t *bytes)
{
	const struct prov_block *b = &im->header.block[block];
	struct prov_set *s = malloc(b->bytes);
	size_t texts;
	uint32_t rc;

	if (!s)
		return ERROR_OUTOFMEMORY;
	rc = image_read_bytes(fd, s, b->bytes, b->offset);
	if (!rc)
		rc = set_is_sane(s, b->bytes, &texts)
			     ? make_definition(im, s, texts, definition, bytes)
			     : ERROR_INVALID_DATA;
	free(s);
	return rc;
}
