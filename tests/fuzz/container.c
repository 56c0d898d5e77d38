#include "container.h"

#include "../../decoder/io/input.h"
#include "../../formats/trace_file.h"

struct reading {
	struct io_input *in;
	const uint8_t *bytes;
	uint64_t size, end; /* of the file; the end of the last reported section */
	struct io_buffer raw, scratch;
};

static uint64_t padded(uint64_t n)
{
	return (n + TF_ALIGN - 1) / TF_ALIGN * TF_ALIGN;
}

/* Sections and damage come in order, lie within the file and together cover every byte. */
static void account(struct reading *r, uint64_t offset, uint64_t bytes)
{
	PROMISE(offset == r->end, "told of %llu, then of %llu", (unsigned long long)r->end,
		(unsigned long long)offset);
	PROMISE(offset <= r->size && bytes <= r->size - offset, "beyond the file");
	r->end = offset + bytes;
}

static int on_damage(void *ctx, const struct io_damage *d);
static int on_section(void *ctx, const struct io_section *s);

/* A section that was trusted: the sections inside it are reported like the others. */
static void rescan_inside(const struct reading *r, const struct io_section *s)
{
	struct reading inner = *r;
	struct io_scan_events events = {on_section, on_damage, &inner};
	bool holds, ended;

	PROMISE(!io_check(r->in, s, &holds), "memory");
	if (holds)
		return;
	inner.raw = inner.scratch = (struct io_buffer){0};
	inner.end = s->offset;
	inner.size = io_section_end(s) < r->size ? io_section_end(s) : r->size;
	PROMISE(!io_rescue(r->in, s, &events, &ended), "memory");
	PROMISE(inner.end == inner.size, "%llu of %llu bytes told of",
		(unsigned long long)inner.end, (unsigned long long)inner.size);
	io_buffer_free(&inner.raw);
	io_buffer_free(&inner.scratch);
}

static int on_section(void *ctx, const struct io_section *s)
{
	struct reading *r = ctx;
	const char *why = NULL;

	if (!s->checked && s->hooks % 2)
		return IO_DOUBT;
	uint64_t whole = padded(TF_SECTION_SIZE + (uint64_t)s->stored);
	PROMISE(s->offset + TF_SECTION_SIZE + s->stored <= r->size, "a section beyond the file");
	/* The last section's padding may be cut off. */
	if (whole > r->size - s->offset)
		whole = r->size - s->offset;
	account(r, s->offset, whole);
	if (!s->checked)
		rescan_inside(r, s);
	if (s->type < TF_TYPE_HOOKS || s->type > TF_TYPE_LOSS)
		return 0;
	int rc = io_load(r->in, s, &r->raw, &r->scratch, &why);
	PROMISE(rc <= 1 && (rc != 1 || why), "code %d", rc);
	if (!rc && s->raw) {
		PROMISE(r->raw.cap >= s->raw, "a buffer of %zu", r->raw.cap);
		/* An imported file is read in its converted form. */
		if (s->codec == TF_CODEC_NONE && !io_import(r->in))
			PROMISE(memcmp(r->raw.p, r->bytes + s->offset + TF_SECTION_SIZE, s->raw) ==
					0,
				"other bytes");
	}
	return 0;
}

static int on_damage(void *ctx, const struct io_damage *d)
{
	PROMISE(d->bytes && d->why, "damage of nothing");
	account(ctx, d->offset, d->bytes);
	return 0;
}

static void read_one_way(const uint8_t *bytes, size_t n, bool lazy)
{
	struct reading r = {.bytes = bytes};
	struct io_header header;
	bool ended = false;

	/* An NRM2 file becomes another one: fuzz_nrm2.c. */
	if (n >= 4 && memcmp(bytes, "NRM2", 4) == 0)
		return;
	int rc = io_open_memory(bytes, n, &r.in);
	PROMISE(rc <= 0 && !r.in == (rc != 0), "code %d", rc);
	if (rc)
		return;
	r.size = io_size(r.in);
	rc = io_read_header(r.in, &header);
	PROMISE(rc <= 0, "code %d", rc);
	if (!rc) {
		struct io_scan_events events = {on_section, on_damage, &r};

		r.end = header.size < r.size ? header.size : r.size;
		rc = io_scan(r.in, &header, lazy, &events, NULL, NULL, &ended);
		PROMISE(!rc, "code %d", rc);
		PROMISE(r.end == r.size, "%llu of %llu bytes told of", (unsigned long long)r.end,
			(unsigned long long)r.size);
	}
	io_buffer_free(&r.raw);
	io_buffer_free(&r.scratch);
	io_close(r.in);
}

void container_read(const uint8_t *bytes, size_t n)
{
	read_one_way(bytes, n, false);
	read_one_way(bytes, n, true);
}
