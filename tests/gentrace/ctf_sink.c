/*
 * CTF 1.8: the same events, with the same fields, as other tools' readers like them best:
 * plain packed integers, 64-bit ones whole, ratios in ten thousandths.
 */
#include "gentrace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../formats/bytes.h"
#include "../../formats/cpi_hooks.h"

/* A packet's header: magic, stream; stamps, content and packet size in bits, processor. */
enum {
	PACKET_MAGIC = 0,
	PACKET_STREAM = 4,
	PACKET_BEGIN = 8,
	PACKET_END = 16,
	PACKET_CONTENT = 24,
	PACKET_SIZE = 32,
	PACKET_CPU = 40,
	PACKET_EVENTS = 44,
	EVENT_HEADER = 14, /* u16 id, u64 stamp, u32 tid */
};

enum event {
	EVENT_HOOK,
	EVENT_LABEL_START,
	EVENT_SUMMARY,
	EVENT_SYSTEM,
	EVENT_CPUS,
	EVENT_THREAD,
	EVENT_LABEL_END
};

struct packet {
	FILE *file;
	uint8_t *bytes;
	uint32_t size;
	uint64_t first, last;
};

struct ctf_sink {
	struct options o;
	struct packet *packets; /* one a processor */
};

static FILE *in_folder(const char *folder, const char *name)
{
	char *path;

	if (asprintf(&path, "%s/%s", folder, name) < 0)
		die("out of memory");
	FILE *f = fopen(path, "w");

	if (!f)
		die("cannot create %s: %s", path, strerror(errno));
	free(path);
	return f;
}

static void close_file(FILE *f, const char *folder)
{
	if (ferror(f) | fclose(f))
		die("cannot write %s: %s", folder, strerror(errno));
}

static const char metadata_head[] =
	"/* CTF 1.8 */\n"
	"typealias integer { size = 8; align = 8; signed = false; } := uint8_t;\n"
	"typealias integer { size = 16; align = 8; signed = false; } := uint16_t;\n"
	"typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
	"typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n"
	"typealias integer { size = 32; align = 8; signed = false; base = hex; } := hex32;\n"
	"trace {\n"
	"\tmajor = 1;\n\tminor = 8;\n\tbyte_order = le;\n"
	"\tpacket.header := struct { uint32_t magic; uint32_t stream_id; };\n"
	"};\n"
	"clock {\n\tname = tsc;\n\tfreq = %llu;\n\toffset_s = %lld;\n};\n"
	"typealias integer { size = 64; align = 8; signed = false; map = clock.tsc.value; } := stamp;\n"
	"stream {\n"
	"\tid = 0;\n"
	"\tpacket.context := struct { stamp timestamp_begin; stamp timestamp_end; uint64_t content_size; uint64_t packet_size; uint32_t cpu_id; };\n"
	"\tevent.header := struct { uint16_t id; stamp timestamp; };\n"
	"\tevent.context := struct { uint32_t tid; };\n"
	"};\n";

static void event_metadata(FILE *f, enum event id, const char *name, const char *fields)
{
	fprintf(f, "event {\n\tid = %d;\n\tname = \"%s\";\n\tstream_id = 0;\n\tfields := struct { ",
		id, name);
	fprintf(f, "uint32_t %s; %s};\n};\n", id == EVENT_HOOK ? "minor; uint8_t major" : "minor",
		fields);
}

static void write_metadata(const struct options *o)
{
	static const char one[] =
		"uint64_t instructions; uint64_t cycles; uint64_t raw_cpi; uint64_t busy_cycles; uint64_t scaled_cpi; uint64_t busy; ";
	FILE *f = in_folder(o->output, "metadata");
	char text[1024], *words = NULL;
	size_t n = 0;
	FILE *memory = need_memory(open_memstream(&words, &n));

	for (unsigned i = 0; i < o->words; i++)
		fprintf(memory, "hex32 w%u; ", i);
	fclose(memory);
	fprintf(f, metadata_head, (unsigned long long)GEN_HZ,
		(long long)(GEN_REALTIME_S - (int64_t)(GEN_START / GEN_HZ)));
	event_metadata(f, EVENT_HOOK, "hook", words);
	event_metadata(f, EVENT_LABEL_START, "label_start", "uint64_t elapsed; string label; ");
	event_metadata(f, EVENT_LABEL_END, "label_end", "uint64_t elapsed; string label; ");
	snprintf(text, sizeof text,
		"hex32 types; uint32_t num_cpus; uint64_t elapsed; uint64_t cpu_raw_cpi[num_cpus]; uint64_t raw_cpi; struct { uint64_t scaled_cpi; uint64_t busy; } cpu[num_cpus]; uint64_t scaled_cpi; uint64_t busy; %s",
		o->parts & PART_THREAD ? "uint64_t thread_cpi; " : "");
	event_metadata(f, EVENT_SUMMARY, "summary", text);
	snprintf(text, sizeof text, "hex32 types; uint64_t elapsed; %s", one);
	event_metadata(f, EVENT_SYSTEM, "system", text);
	snprintf(text, sizeof text,
		"hex32 types; uint32_t num_cpus; uint64_t elapsed; struct { %s} cpu[num_cpus]; ",
		one);
	event_metadata(f, EVENT_CPUS, "per_processor", text);
	event_metadata(f, EVENT_THREAD, "thread",
		"uint32_t thread; uint64_t elapsed; uint64_t instructions; uint64_t cycles; uint64_t cpi; ");
	close_file(f, o->output);
	free(words);
}

struct ctf_sink *ctf_sink_open(const struct options *o)
{
	struct ctf_sink *s = need_memory(calloc(1, sizeof *s));
	char name[32];

	s->o = *o;
	if (mkdir(o->output, 0777) != 0)
		die("cannot create %s: %s", o->output, strerror(errno));
	write_metadata(o);
	s->packets = need_memory(calloc(o->cpus, sizeof *s->packets));
	for (unsigned i = 0; i < o->cpus; i++) {
		snprintf(name, sizeof name, "stream_%u", i);
		s->packets[i].file = in_folder(o->output, name);
		s->packets[i].bytes = need_memory(calloc(1, o->section));
		s->packets[i].size = PACKET_EVENTS;
	}
	return s;
}

static void packet_full(struct packet *p, unsigned cpu)
{
	if (p->size == PACKET_EVENTS)
		return;
	put_le32(p->bytes + PACKET_MAGIC, 0xC1FC1FC1u);
	put_le32(p->bytes + PACKET_STREAM, 0);
	put_le64(p->bytes + PACKET_BEGIN, p->first);
	put_le64(p->bytes + PACKET_END, p->last);
	put_le64(p->bytes + PACKET_CONTENT, (uint64_t)p->size * 8);
	put_le64(p->bytes + PACKET_SIZE, (uint64_t)p->size * 8);
	put_le32(p->bytes + PACKET_CPU, cpu);
	fwrite(p->bytes, 1, p->size, p->file);
	p->size = PACKET_EVENTS;
}

/* Copies n 32-bit words, or n pairs: a 64-bit quantity, or a ratio. */
static uint8_t *words(uint8_t *at, const uint32_t *w, unsigned n)
{
	for (unsigned i = 0; i < n; i++, at += 4)
		put_le32(at, w[i]);
	return at;
}

static uint8_t *longs(uint8_t *at, const uint32_t *w, unsigned n)
{
	for (unsigned i = 0; i < n; i++, at += 8, w += 2)
		put_le64(at, (uint64_t)w[0] << 32 | w[1]);
	return at;
}

static uint8_t *ratios(uint8_t *at, const uint32_t *w, unsigned n)
{
	for (unsigned i = 0; i < n; i++, at += 8, w += 2)
		put_le64(at, (uint64_t)w[0] * CPI_FRACTION + w[1]);
	return at;
}

/* instructions, cycles, CPI, busy cycles, CPI, busy: 12 words. */
static uint8_t *counts(uint8_t *at, const uint32_t *w)
{
	at = longs(at, w, 2);
	at = ratios(at, w + 4, 1);
	at = longs(at, w + 6, 1);
	return ratios(at, w + 8, 2);
}

static enum event event_of(const struct hook *h)
{
	if (h->major != CPI_MAJOR)
		return EVENT_HOOK;
	switch (h->minor & CPI_MINOR_KIND) {
	case CPI_MINOR_LABEL_START:
		return EVENT_LABEL_START;
	case CPI_MINOR_SUMMARY:
		return EVENT_SUMMARY;
	case CPI_MINOR_SYSTEM:
		return EVENT_SYSTEM;
	case CPI_MINOR_PER_CPU:
		return EVENT_CPUS;
	case CPI_MINOR_THREAD:
		return EVENT_THREAD;
	default:
		return EVENT_LABEL_END;
	}
}

static uint8_t *fields(uint8_t *at, enum event event, const struct hook *h)
{
	const uint32_t *w = h->words;

	at = words(at, &h->minor, 1);
	switch (event) {
	case EVENT_HOOK:
		*at = h->major;
		return words(at + 1, w, h->nwords);
	case EVENT_LABEL_START:
	case EVENT_LABEL_END:
		at = longs(at, w, 1);
		memcpy(at, h->string, h->length + 1);
		return at + h->length + 1;
	case EVENT_SUMMARY:
		at = longs(words(at, w, 2), w + 2, 1);
		return ratios(at, w + 4, (h->nwords - 4) / 2);
	case EVENT_SYSTEM:
		return counts(longs(words(at, w, 1), w + 1, 1), w + 3);
	case EVENT_CPUS:
		at = longs(words(at, w, 2), w + 2, 1);
		for (unsigned i = 0; i < w[1]; i++)
			at = counts(at, w + 4 + 12 * (size_t)i);
		return at;
	case EVENT_THREAD:
		return ratios(longs(words(at, w, 1), w + 1, 3), w + 7, 1);
	}
	return at;
}

void ctf_sink_put(struct ctf_sink *s, const struct unit *u)
{
	struct packet *p = &s->packets[u->cpu];

	for (unsigned i = 0; i < u->nhooks; i++) {
		const struct hook *h = &u->hook[i];
		enum event event = event_of(h);
		uint32_t most = EVENT_HEADER + 8 + 4 * h->nwords + h->length;

		if (PACKET_EVENTS + most > s->o.section)
			die("an event of %u bytes does not fit into a packet of %u", most,
				s->o.section);
		if (p->size + most > s->o.section)
			packet_full(p, u->cpu);
		uint8_t *at = p->bytes + p->size;

		put_le16(at, (uint16_t)event);
		put_le64(at + 2, u->stamp);
		put_le32(at + 10, u->tid);
		if (p->size == PACKET_EVENTS)
			p->first = u->stamp;
		p->last = u->stamp;
		p->size = (uint32_t)(fields(at + EVENT_HEADER, event, h) - p->bytes);
	}
}

void ctf_sink_close(struct ctf_sink *s)
{
	for (unsigned i = 0; i < s->o.cpus; i++) {
		packet_full(&s->packets[i], i);
		close_file(s->packets[i].file, s->o.output);
		free(s->packets[i].bytes);
	}
	free(s->packets);
	free(s);
}
