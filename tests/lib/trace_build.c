#define XXH_INLINE_ALL
#include "trace_build.h"

#include "../../formats/section_check.h"
#include "../../formats/section_header.h"

#include <lz4.h>
#include <xxhash.h>
#include <zlib.h>

void put_string(struct bytes *b, const void *p, size_t n)
{
	put_u32(b, (uint32_t)n);
	bytes_put(b, p, n);
	bytes_align(b, 4);
}

void put_record(struct bytes *b, const struct made_record *r, const struct bytes *strings)
{
	uint32_t string_bytes = strings ? (uint32_t)strings->n : 0;
	uint32_t size = rec_size(r->nwords, string_bytes);
	uint8_t *at;

	bytes_put(b, NULL, size);
	at = record_begin(b->p + b->n - size, size, r);
	if (string_bytes)
		memcpy(at, strings->p, string_bytes);
}

void put_hook(struct bytes *b, uint64_t stamp, uint32_t tid, uint8_t major, uint32_t minor,
	unsigned nwords, const uint32_t *words, const char *const *strings)
{
	struct made_record r = {.major = major,
		.nwords = (uint16_t)nwords,
		.minor = minor,
		.tid = tid,
		.stamp = stamp,
		.words = words};
	struct bytes text = {0};

	for (; strings && strings[r.nstrings]; r.nstrings++)
		put_string(&text, strings[r.nstrings], strlen(strings[r.nstrings]));
	put_record(b, &r, &text);
	bytes_free(&text);
}

void put_plain(struct bytes *b, uint64_t stamp, uint32_t tid, uint32_t minor)
{
	uint32_t words[] = {minor, 0};

	put_hook(b, stamp, tid, 0x10, minor, 2, words, NULL);
}

void put_pad(struct bytes *b, uint32_t size)
{
	put_u32(b, size | REC_COMMITTED | REC_KIND_PAD);
	for (uint32_t i = 4; i < size; i += 4)
		put_u32(b, 0xdeadbeef);
}

void seal_header(uint8_t *header)
{
	put_le64(header + TF_H_CHECKSUM, tf_header_checksum(header));
}

void fill_header(uint8_t *header, uint32_t cpus, uint32_t max_raw, uint64_t ticks_per_second)
{
	memset(header, 0, TF_HEADER_SIZE);
	memcpy(header + TF_H_MAGIC, TF_MAGIC, 8);
	put_le16(header + TF_H_VERSION_MAJOR, TF_VERSION_MAJOR);
	put_le32(header + TF_H_HEADER_SIZE, TF_HEADER_SIZE);
	put_le32(header + TF_H_CPUS, cpus);
	put_le32(header + TF_H_MAX_RAW, max_raw);
	put_le32(header + TF_H_CLOCK, TF_CLOCK_TSC);
	put_le64(header + TF_H_TICKS_PER_SECOND, ticks_per_second);
}

void put_header(struct bytes *file, uint8_t id)
{
	uint8_t h[TF_HEADER_SIZE];

	fill_header(h, 2, 1 << 20, 1000000000);
	memset(h + TF_H_TRACE_ID, id, 16);
	put_le64(h + TF_H_SYNC + TF_SYNC_TICKS, 1000);
	put_le64(h + TF_H_SYNC + TF_SYNC_REALTIME, 5000000000);
	put_le64(h + TF_H_SYNC + TF_SYNC_MONOTONIC, 1000);
	seal_header(h);
	bytes_put(file, h, sizeof h);
}

void seal_section(uint8_t *header, const void *payload, size_t n)
{
	XXH3_state_t state;

	XXH3_INITSTATE(&state);
	put_le64(header + TF_S_CHECKSUM, tf_section_checksum(&state, header, payload, n));
}

void fill_section(uint8_t *h, const struct section *s, uint32_t stored, uint32_t raw)
{
	const struct tf_section_header head = {.type = (enum tf_type)s->type,
		.codec = (enum tf_codec)s->codec,
		.stored = stored,
		.raw = raw,
		.ring = s->ring,
		.hooks = s->hooks,
		.position = s->position,
		.first = s->first,
		.last = s->last,
		.lost = s->lost,
		.torn = s->torn};

	tf_section_fill(h, &head);
}

size_t put_stored(struct bytes *file, const struct section *s, const struct bytes *payload)
{
	uint32_t stored = (uint32_t)payload->n;
	uint8_t h[TF_SECTION_SIZE];
	size_t start = file->n;

	fill_section(h, s, stored, s->raw ? s->raw : stored);
	seal_section(h, payload->p, payload->n);
	h[TF_S_CHECKSUM] ^= s->bad_sum;
	bytes_put(file, h, sizeof h);
	bytes_put(file, payload->p, payload->n);
	bytes_align(file, TF_ALIGN);
	return start;
}

size_t pack_payload(uint8_t codec, int level, const void *from, size_t n, void *to, size_t room)
{
	uLongf packed = room;
	int bytes;

	if (codec == TF_CODEC_LZ4) {
		bytes = LZ4_compress_default(from, to, (int)n, (int)room);
		return bytes > 0 ? (size_t)bytes : 0;
	}
	return compress2(to, &packed, from, n, level) == Z_OK ? packed : 0;
}

size_t put_section(struct bytes *file, const struct section *s, const struct bytes *payload)
{
	struct bytes packed = {0};
	struct section own = *s;
	size_t at;

	if (s->codec == TF_CODEC_NONE)
		return put_stored(file, s, payload);
	bytes_put(&packed, NULL, payload->n + payload->n / 8 + 1024);
	packed.n = pack_payload(
		s->codec, Z_DEFAULT_COMPRESSION, payload->p, payload->n, packed.p, packed.n);
	if (!own.raw)
		own.raw = (uint32_t)payload->n;
	at = put_stored(file, &own, &packed);
	bytes_free(&packed);
	return at;
}

size_t put_hooks(
	struct bytes *file, uint32_t ring, uint64_t position, uint8_t codec, struct bytes *records)
{
	struct section s = {
		.type = TF_TYPE_HOOKS, .codec = codec, .ring = ring, .position = position};

	for (size_t at = 0; at < records->n;) {
		uint32_t control = get_le32(records->p + at);

		if (!(control & REC_COMMITTED)) {
			s.torn++;
		} else if ((control & REC_KIND_MASK) == REC_KIND_HOOK) {
			s.last = get_le64(records->p + at + REC_STAMP);
			if (!s.hooks++)
				s.first = s.last;
		}
		at += control & REC_SIZE_MASK;
	}
	size_t at = put_section(file, &s, records);
	records->n = 0;
	return at;
}

void put_text(struct bytes *file, uint16_t type, const char *text)
{
	struct bytes payload = {0};
	struct section s = {.type = type};

	bytes_put(&payload, text, strlen(text));
	put_section(file, &s, &payload);
	bytes_free(&payload);
}

void put_task(struct bytes *b, uint32_t tid, uint32_t pid, uint64_t first, const char *name)
{
	char field[TF_TASK_NAME_SIZE] = {0};

	memcpy(field, name, strnlen(name, sizeof field));
	put_u32(b, tid);
	put_u32(b, pid);
	put_u64(b, first);
	bytes_put(b, field, sizeof field);
}

void put_sync(struct bytes *b, uint64_t ticks, int64_t real, uint64_t mono)
{
	put_u64(b, ticks);
	put_u64(b, (uint64_t)real);
	put_u64(b, mono);
}

void put_end(struct bytes *file)
{
	struct bytes none = {0};

	put_section(file, &(struct section){.type = TF_TYPE_END}, &none);
}

void put_label(struct bytes *b, uint64_t stamp, uint32_t tid, uint8_t mm, bool end,
	uint64_t elapsed, const char *label)
{
	uint32_t words[] = {(uint32_t)(elapsed >> 32), (uint32_t)elapsed};
	const char *strings[] = {label, NULL};

	put_hook(b, stamp, tid, CPI_MAJOR, (end ? CPI_MINOR_LABEL_END : CPI_MINOR_LABEL_START) | mm,
		2, words, strings);
}

void put_thread(struct bytes *b, uint64_t stamp, uint32_t tid, uint8_t mm, uint64_t elapsed,
	uint64_t instructions, uint64_t cycles)
{
	uint64_t fix = instructions ? (cycles * 10000 + instructions / 2) / instructions : 0;
	uint32_t words[] = {tid, (uint32_t)(elapsed >> 32), (uint32_t)elapsed,
		(uint32_t)(instructions >> 32), (uint32_t)instructions, (uint32_t)(cycles >> 32),
		(uint32_t)cycles, (uint32_t)(fix / 10000), (uint32_t)(fix % 10000)};

	put_hook(b, stamp, tid, CPI_MAJOR, CPI_MINOR_THREAD | mm, 9, words, NULL);
}

static void put_group(struct bytes *b, uint64_t stamp, uint32_t tid)
{
	/* Two processors, busy and thread measured; 1000 ticks. */
	static const uint32_t summary[] = {7, 2, 0, 1000, 1, 5000, 2, 0, 1, 7500, 1, 2500, 50, 0, 1,
		0, 25, 0, 1, 1000, 37, 5000, 3, 1};
	static const uint32_t system[] = {
		3, 0, 1000, 0, 800, 0, 1400, 1, 7500, 0, 525, 1, 1000, 37, 5000};
	static const uint32_t per_cpu[] = {3, 2, 0, 1000, 0, 500, 0, 750, 1, 5000, 0, 375, 1, 2500,
		50, 0, 0, 300, 0, 600, 2, 0, 0, 150, 1, 0, 25, 0};

	put_label(b, stamp, tid, 7, false, 1000, "label");
	put_hook(b, stamp, tid, CPI_MAJOR, CPI_MINOR_SUMMARY | 7, 24, summary, NULL);
	put_hook(b, stamp, tid, CPI_MAJOR, CPI_MINOR_SYSTEM | 7, 15, system, NULL);
	put_hook(b, stamp, tid, CPI_MAJOR, CPI_MINOR_PER_CPU | 7, 28, per_cpu, NULL);
	put_thread(b, stamp, tid, 7, 1000, 10000, 30001);
	put_label(b, stamp, tid, 7, true, 1000, "label");
}

void put_small_trace(struct bytes *file, uint8_t codec)
{
	struct bytes b = {0};

	put_header(file, 1);
	put_text(file, TF_TYPE_META, "host: here\nkernel: 6.1\n");
	put_text(file, TF_TYPE_SCHEMA, "major 0x10 mine\nhook 1 \"one\"\nu32 first\nu32 second\n");
	put_sync(&b, 1000, 5000000000, 1000);
	put_section(file, &(struct section){.type = TF_TYPE_CLOCK}, &b);
	b.n = 0;
	for (uint64_t t = 2000; t < 2010; t++)
		put_plain(&b, t, 11, 1);
	put_group(&b, 3000, 11);
	put_hooks(file, 0, 0, codec, &b);
	put_pad(&b, 16);
	for (uint64_t t = 1995; t < 2015; t++)
		put_plain(&b, t, 12, 2);
	put_hooks(file, 1, 4096, codec, &b);
	put_group(&b, 4000, 11);
	put_hooks(file, 0, 65536, codec, &b);
	put_task(&b, 11, 10, 0, "eleven");
	put_task(&b, 12, 10, 0, "twelve");
	put_section(file, &(struct section){.type = TF_TYPE_TASKS}, &b);
	b.n = 0;
	put_sync(&b, 5000, 5000004000, 5000);
	put_section(file, &(struct section){.type = TF_TYPE_CLOCK}, &b);
	b.n = 0;
	put_u64(&b, 1);
	for (unsigned i = 1; i <= 7; i++)
		put_u64(&b, i);
	put_section(file, &(struct section){.type = TF_TYPE_LOSS}, &b);
	bytes_free(&b);
	put_end(file);
}
