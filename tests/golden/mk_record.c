#include "mk_record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HOOK = 0, PAD = 1, COMMITTED = 31 };

/* A record in the making. Thread and stamp stay as the record before had them. */
struct record {
	uint8_t major;
	uint32_t minor, tid;
	uint64_t stamp;
	bool uncommitted;
	struct bytes words, strings;
	unsigned nstrings;
	uint64_t control, nwords_says, nstrings_says, size_says; /* OWN: computed */
};

#define OWN UINT64_MAX

static uint32_t last_tid;
static uint64_t last_stamp;

static struct record new_record(uint8_t major, uint32_t minor)
{
	return (struct record){
		.major = major,
		.minor = minor,
		.tid = last_tid,
		.stamp = last_stamp,
		.control = OWN,
		.nwords_says = OWN,
		.nstrings_says = OWN,
		.size_says = OWN,
	};
}

static void add_word(struct record *r, uint64_t v)
{
	if (v > UINT32_MAX)
		fail("%llu does not fit a word (64:N makes two)", (unsigned long long)v);
	add_le(&r->words, v, 4);
}

static void add_hl(struct record *r, uint64_t v)
{
	add_word(r, v >> 32);
	add_word(r, v & UINT32_MAX);
}

static void add_string(struct record *r, const char *text, size_t length, uint64_t says)
{
	add_le(&r->strings, says == OWN ? length : says, 4);
	add(&r->strings, text, length);
	add_align(&r->strings, 4);
	r->nstrings++;
}

static void write_record(struct record *r, struct bytes *payload, struct tally *tally)
{
	size_t size = (24 + r->words.n + r->strings.n + 7) / 8 * 8;
	uint64_t says = r->size_says == OWN ? size : r->size_says;
	uint64_t control = says | HOOK | (uint64_t)!r->uncommitted << COMMITTED;

	add_le(payload, r->control == OWN ? control : r->control, 4);
	add_le(payload, r->major, 1);
	add_le(payload, r->nstrings_says == OWN ? r->nstrings : r->nstrings_says, 1);
	add_le(payload, r->nwords_says == OWN ? r->words.n / 4 : r->nwords_says, 2);
	add_le(payload, r->minor, 4);
	add_le(payload, r->tid, 4);
	add_le(payload, r->stamp, 8);
	add(payload, r->words.p, r->words.n);
	add(payload, r->strings.p, r->strings.n);
	add_align(payload, 8);
	if (r->uncommitted) {
		tally->torn++;
	} else {
		if (!tally->hooks++)
			tally->first = r->stamp;
		tally->last = r->stamp;
	}
	last_tid = r->tid;
	last_stamp = r->stamp;
	free(r->words.p);
	free(r->strings.p);
}

/* I.F with up to four decimals, as two words. */
static void add_fix4(struct record *r, char *text)
{
	char *point = strchr(text, '.'), digits[] = "0000";

	if (point) {
		*point++ = '\0';
		if (strlen(point) > 4)
			fail("more than four decimals");
		memcpy(digits, point, strlen(point));
	}
	add_word(r, number(text));
	add_word(r, number(digits));
}

/* tid=, at= and the overrides; false: the token is data. */
static bool record_key(struct record *r, const struct token *t, uint64_t *length)
{
	if (strcmp(t->key, "tid") == 0)
		r->tid = (uint32_t)number(t->text);
	else if (strcmp(t->key, "at") == 0)
		r->stamp = number(t->text);
	else if (strcmp(t->key, "size") == 0)
		r->size_says = number(t->text);
	else if (strcmp(t->key, "control") == 0)
		r->control = number(t->text);
	else if (strcmp(t->key, "nwords") == 0)
		r->nwords_says = number(t->text);
	else if (strcmp(t->key, "nstrings") == 0)
		r->nstrings_says = number(t->text);
	else if (strcmp(t->key, "len") == 0)
		*length = number(t->text);
	else if (*t->key)
		fail("unknown key %s=", t->key);
	else
		return false;
	return true;
}

void mk_hook(struct line *l, struct bytes *payload, struct tally *tally)
{
	uint8_t major = (uint8_t)next_number(l);
	struct record r = new_record(major, (uint32_t)next_number(l));
	uint64_t length = OWN;
	struct token *t;

	while ((t = next_token(l))) {
		if (record_key(&r, t, &length))
			continue;
		if (t->quoted) {
			add_string(&r, t->text, t->length, length);
			length = OWN;
		} else if (strcmp(t->text, "uncommitted") == 0) {
			r.uncommitted = true;
		} else if (strncmp(t->text, "64:", 3) == 0) {
			add_hl(&r, number(t->text + 3));
		} else if (strncmp(t->text, "f64:", 4) == 0) {
			double v = strtod(t->text + 4, NULL);
			uint64_t bits;

			memcpy(&bits, &v, sizeof bits);
			add_hl(&r, bits);
		} else if (strncmp(t->text, "4:", 2) == 0) {
			add_fix4(&r, t->text + 2);
		} else {
			add_word(&r, number(t->text));
		}
	}
	write_record(&r, payload, tally);
}

void mk_pad(struct line *l, struct bytes *payload, struct tally *tally)
{
	uint32_t size = (uint32_t)next_number(l);
	struct token *t = next_token(l);

	if (size < 8 || size % 8)
		fail("a pad is a multiple of 8 bytes");
	tally->torn += t != NULL;
	add_le(payload, size | PAD | (uint32_t)!t << COMMITTED, 4);
	add_zeros(payload, size - 4);
}

/* A CPI group: the input from which its hooks are computed. */
struct count {
	uint64_t instructions, cycles, busy;
};

static const char *const life_names[] = {"on_cpu", "switches", "migrations", "faults"};

enum { LIFE = 4, MAX_QUANTITIES = 16 };

struct quality {
	bool written;
	uint32_t flags, known;
	uint64_t life[LIFE];
	struct quantity {
		uint64_t source, enabled, running;
	} quantity[MAX_QUANTITIES];
	uint32_t quantities;
};

static struct {
	bool open, summary, detailed, on_thread;
	uint32_t mm, tid, types;
	uint64_t stamp, elapsed;
	char *label;
	size_t label_length;
	struct count *cpu, system, thread;
	uint32_t cpus;
	struct quality quality;
} g;

void mk_group(struct line *l)
{
	struct token *t;

	if (g.open)
		fail("the group before is not closed");
	memset(&g, 0, sizeof g);
	g.open = true;
	g.types = 1;
	g.tid = last_tid;
	g.stamp = last_stamp;
	while ((t = next_token(l))) {
		if (strcmp(t->key, "mm") == 0) {
			g.mm = (uint32_t)number(t->text);
		} else if (strcmp(t->key, "tid") == 0) {
			g.tid = (uint32_t)number(t->text);
		} else if (strcmp(t->key, "at") == 0) {
			g.stamp = number(t->text);
		} else if (strcmp(t->key, "elapsed") == 0) {
			g.elapsed = number(t->text);
		} else if (strcmp(t->key, "types") == 0) {
			g.types = (uint32_t)number(t->text);
		} else if (strcmp(t->key, "label") == 0) {
			g.label = malloc(t->length + 1);
			memcpy(g.label, t->text, t->length);
			g.label_length = t->length;
		} else if (strcmp(t->text, "summary") == 0) {
			g.summary = true;
		} else if (strcmp(t->text, "detailed") == 0) {
			g.detailed = true;
		} else {
			fail("unknown word \"%s\" in a group", t->text);
		}
	}
}

/* cpu INSTRUCTIONS CYCLES BUSY [xTIMES] */
void mk_group_cpu(struct line *l)
{
	struct count c = {0};
	unsigned times = 1;
	struct token *t;

	c.instructions = next_number(l);
	c.cycles = next_number(l);
	c.busy = next_number(l);
	if ((t = next_token(l)))
		times = (unsigned)number(t->text + (*t->text == 'x'));
	g.cpu = realloc(g.cpu, (g.cpus + times) * sizeof c);
	while (times--) {
		g.cpu[g.cpus++] = c;
		g.system.instructions += c.instructions;
		g.system.cycles += c.cycles;
		g.system.busy += c.busy;
	}
}

void mk_group_thread(struct line *l)
{
	g.on_thread = true;
	g.thread.instructions = next_number(l);
	g.thread.cycles = next_number(l);
}

/* Figures that are not named are not known. */
void mk_group_quality(struct line *l)
{
	struct token *t;

	g.quality.written = true;
	while ((t = next_token(l))) {
		unsigned i = 0;

		if (strcmp(t->key, "flags") == 0) {
			g.quality.flags = (uint32_t)number(t->text);
			continue;
		}
		while (i < LIFE && strcmp(t->key, life_names[i]))
			i++;
		if (i == LIFE)
			fail("unknown key %s= of a quality hook", t->key);
		g.quality.known |= 1u << i;
		g.quality.life[i] = number(t->text);
	}
}

void mk_group_quantity(struct line *l)
{
	struct quantity *q = &g.quality.quantity[g.quality.quantities];

	if (g.quality.quantities++ == MAX_QUANTITIES)
		fail("more than %d quantities", MAX_QUANTITIES);
	q->source = next_number(l);
	q->enabled = next_number(l);
	q->running = next_number(l);
}

static struct record group_record(uint32_t kind)
{
	struct record r = new_record(0xC0, kind << 24 | g.mm);

	r.tid = g.tid;
	r.stamp = g.stamp;
	return r;
}

/* Rounded half up; a fraction of 10000 carries because the division comes last. */
static void add_ratio(struct record *r, uint64_t scale, uint64_t top, uint64_t bottom)
{
	unsigned __int128 twice = (unsigned __int128)top * scale * 20000;
	uint64_t fix = bottom ? (uint64_t)((twice / bottom + 1) / 2) : 0;

	add_word(r, fix / 10000);
	add_word(r, fix % 10000);
}

static void add_counts(struct record *r, const struct count *c)
{
	add_hl(r, c->instructions);
	add_hl(r, c->cycles);
	add_ratio(r, 1, c->cycles, c->instructions);
	if (!(g.types & 2))
		return;
	add_hl(r, c->busy);
	add_ratio(r, 1, c->busy, c->instructions);
	add_ratio(r, 100, c->busy, c->cycles);
}

static void group_label(uint32_t kind, struct bytes *payload, struct tally *tally)
{
	struct record r = group_record(kind);

	add_hl(&r, g.elapsed);
	add_string(&r, g.label, g.label_length, OWN);
	write_record(&r, payload, tally);
}

static void group_summary(struct bytes *payload, struct tally *tally)
{
	struct record r = group_record(0x10);
	/* Without processors there is no array. */
	const struct count *c, *end = g.cpus ? g.cpu + g.cpus : g.cpu;

	add_word(&r, g.types);
	add_word(&r, g.cpus);
	add_hl(&r, g.elapsed);
	for (c = g.cpu; c < end; c++)
		add_ratio(&r, 1, c->cycles, c->instructions);
	add_ratio(&r, 1, g.system.cycles, g.system.instructions);
	if (g.types & 2) {
		for (c = g.cpu; c < end; c++) {
			add_ratio(&r, 1, c->busy, c->instructions);
			add_ratio(&r, 100, c->busy, c->cycles);
		}
		add_ratio(&r, 1, g.system.busy, g.system.instructions);
		add_ratio(&r, 100, g.system.busy, g.system.cycles);
	}
	if (g.types & 4)
		add_ratio(&r, 1, g.thread.cycles, g.thread.instructions);
	write_record(&r, payload, tally);
}

static void group_detailed(struct bytes *payload, struct tally *tally)
{
	struct record system = group_record(0x80), cpus = group_record(0x40),
		      thread = group_record(0x20);

	add_word(&system, g.types & 3);
	add_hl(&system, g.elapsed);
	add_counts(&system, &g.system);
	write_record(&system, payload, tally);
	add_word(&cpus, g.types & 3);
	add_word(&cpus, g.cpus);
	add_hl(&cpus, g.elapsed);
	for (uint32_t i = 0; i < g.cpus; i++)
		add_counts(&cpus, &g.cpu[i]);
	write_record(&cpus, payload, tally);
	if (!g.on_thread)
		return;
	add_word(&thread, g.tid);
	add_hl(&thread, g.elapsed);
	add_hl(&thread, g.thread.instructions);
	add_hl(&thread, g.thread.cycles);
	add_ratio(&thread, 1, g.thread.cycles, g.thread.instructions);
	write_record(&thread, payload, tally);
}

static void group_quality(struct bytes *payload, struct tally *tally)
{
	struct record r = group_record(0xA0);

	add_word(&r, g.quality.flags);
	add_word(&r, g.quality.known);
	add_hl(&r, g.elapsed);
	add_word(&r, g.quality.quantities);
	for (uint32_t i = 0; i < g.quality.quantities; i++) {
		add_word(&r, g.quality.quantity[i].source);
		add_hl(&r, g.quality.quantity[i].enabled);
		add_hl(&r, g.quality.quantity[i].running);
	}
	for (unsigned i = 0; i < LIFE; i++)
		if (g.quality.known >> i & 1)
			add_hl(&r, g.quality.life[i]);
	write_record(&r, payload, tally);
}

void mk_group_end(struct bytes *payload, struct tally *tally)
{
	if (!g.open)
		fail("no group is open");
	if (g.label)
		group_label(0x00, payload, tally);
	if (g.summary)
		group_summary(payload, tally);
	if (g.detailed)
		group_detailed(payload, tally);
	if (g.quality.written)
		group_quality(payload, tally);
	if (g.label)
		group_label(0xF0, payload, tally);
	free(g.label);
	free(g.cpu);
	g.open = false;
}
