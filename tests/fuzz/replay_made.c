#include "replay_made.h"

#include "../../formats/counters_hooks.h"
#include "../../formats/cpuutil_hooks.h"
#include "../../include/perflib.h"
#include "../lib/trace_build.h"
#include "recipe.h"

/* A statement's low three bits; the other five are its first operand. */
enum statement {
	DEFINITION, /* of a counterset, complete */
	SAMPLE,	    /* all its parts */
	PART,	    /* one part of a sample, regardless of the preceding hooks */
	INTERVAL,   /* of CPU utilisation or CPI */
	COUNTERS,   /* some counters of a definition, or only the counterset */
	LATER,	    /* the stamp advances; the next sample is a new one */
	THREAD,	    /* the thread of the following hooks */
	BEND,	    /* changes a word of the previous hook */
};

enum { MOST_BYTES = 1 << 16, MOST_WORDS = 1200 };

struct maker {
	struct feed in;
	struct bytes out;
	size_t last; /* where the previous hook begins */
	uint64_t stamp;
	uint32_t tid, time;
	unsigned hooks;
	/* The hook under construction. */
	uint32_t word[MOST_WORDS];
	unsigned words, strings;
	struct bytes text;
};

static void add_word(struct maker *m, uint32_t v)
{
	if (m->words < MOST_WORDS)
		m->word[m->words++] = v;
}

static void add_pair(struct maker *m, uint64_t v)
{
	add_word(m, (uint32_t)(v >> 32));
	add_word(m, (uint32_t)v);
}

/* Mostly small numbers, sometimes all 64 bits. */
static uint64_t number(struct maker *m)
{
	uint8_t b = feed_u8(&m->in);

	if (b < 0xF0)
		return b;
	return b < 0xF8 ? feed_u16(&m->in) : feed_u64(&m->in);
}

static void string(struct maker *m, const void *p, size_t n)
{
	put_string(&m->text, p, n);
	m->strings++;
}

/* Few names, so that they coincide; sometimes arbitrary bytes, or many. */
static void name(struct maker *m)
{
	static const char many[1200] = "n";
	uint8_t choice = feed_u8(&m->in);
	const uint8_t *p;
	size_t n;

	if (choice < 0xC0) {
		string(m, &"abcd0,_Total"[choice % 12], 1);
	} else if (choice == 0xFF) {
		string(m, many, sizeof many);
	} else {
		n = feed_bytes(&m->in, choice & 0x3F, &p);
		string(m, p, n);
	}
}

static void hook(struct maker *m, uint8_t major, uint32_t minor)
{
	struct made_record r = {.major = major,
		.nstrings = (uint8_t)m->strings,
		.nwords = (uint16_t)m->words,
		.minor = minor,
		.tid = m->tid,
		.stamp = m->stamp,
		.words = m->word};

	m->last = m->out.n;
	put_record(&m->out, &r, &m->text);
	m->words = m->strings = 0;
	m->text.n = 0;
	m->hooks++;
}

/* ---------------------------------------------------------------- recorded counters */

/* Two unknown GUIDs, and those that follow from intervals; and the definition's name. */
static void identity(struct maker *m, unsigned which)
{
	static const uint64_t guid[4][2] = {{1, 2}, {3, 4},
		{UINT64_C(0x2e68c9f1d73b4a95), UINT64_C(0xb246580be17d3c9a)},
		{UINT64_C(0xb4fc721a0378476f), UINT64_C(0x89baa5a79f810b36)}};

	add_pair(m, guid[which & 3][0]);
	add_pair(m, guid[which & 3][1]);
	add_pair(m, which >> 2 & 1);
}

static void counterset(struct maker *m, unsigned which, uint32_t counters)
{
	identity(m, which);
	add_pair(m, 5);
	add_pair(m, 6);
	add_word(m, which & 8 ? PERF_COUNTERSET_SINGLE_INSTANCE : PERF_COUNTERSET_MULTI_INSTANCES);
	add_word(m, PERF_DETAIL_NOVICE);
	add_word(m, counters);
	name(m);
	name(m);
	name(m);
	hook(m, COUNTERS_MAJOR, COUNTERS_MINOR_SET);
}

static void counters(struct maker *m, unsigned which, uint32_t all, uint32_t first, uint32_t n)
{
	static const uint32_t types[] = {PERF_COUNTER_LARGE_RAWCOUNT, PERF_COUNTER_RAWCOUNT,
		PERF_AVERAGE_BULK, PERF_100NSEC_TIMER_INV};

	identity(m, which);
	add_word(m, all);
	add_word(m, first);
	add_word(m, n);
	for (uint32_t i = first; i < first + n; i++) {
		add_word(m, 2 * i + 1);
		add_word(m, types[i % 4]);
		add_pair(m, 0);
		add_word(m, PERF_DETAIL_NOVICE);
		add_word(m, 0);
		add_word(m, i % 3 ? 2 * i - 1 : PERF_NO_COUNTER);
		add_word(m, PERF_AGGREGATE_TOTAL);
		name(m);
		name(m);
	}
	hook(m, COUNTERS_MAJOR, COUNTERS_MINOR_COUNTERS);
}

static void definition(struct maker *m, unsigned which)
{
	uint32_t n = feed_u8(&m->in) % 9, half = n / 2;

	counterset(m, which, n);
	if (which & 16)
		counters(m, which, n, 0, half);
	counters(m, which, n, which & 16 ? half : 0, which & 16 ? n - half : n);
}

struct part {
	uint32_t parts, part, status, set_rows, first_row, columns, rows;
};

static void part(struct maker *m, unsigned which, const struct part *p)
{
	uint32_t known = (p->rows * p->columns + 31) / 32;

	identity(m, which);
	add_pair(m, m->time);
	add_pair(m, 1000);
	add_pair(m, m->time * UINT64_C(10000));
	add_word(m, p->parts);
	add_word(m, p->part);
	add_word(m, p->status);
	add_word(m, p->set_rows);
	add_word(m, p->first_row);
	add_word(m, p->columns);
	add_word(m, p->rows);
	add_word(m, p->rows * p->columns);
	add_word(m, known);
	for (uint32_t i = 0; i < p->columns; i++)
		add_word(m, 2 * i + 1);
	for (uint32_t i = 0; i < p->rows; i++) {
		add_word(m, p->first_row + i);
		name(m);
	}
	for (uint32_t i = 0; i < p->rows * p->columns; i++)
		add_pair(m, number(m));
	for (uint32_t i = 0; i < known; i++)
		add_word(m, feed_u8(&m->in) * 0x01010101u);
	hook(m, COUNTERS_MAJOR, COUNTERS_MINOR_INSTANCES);
}

static void sample(struct maker *m, unsigned which)
{
	uint8_t shape = feed_u8(&m->in);
	struct part p = {.parts = 1 + (shape & 3), .columns = shape >> 2 & 7, .rows = shape >> 5};

	p.set_rows = p.parts * p.rows;
	for (; p.part < p.parts; p.part++, p.first_row += p.rows)
		part(m, which, &p);
	m->time++;
}

static void any_part(struct maker *m, unsigned which)
{
	struct part p = {.parts = (uint32_t)number(m), .part = (uint32_t)number(m)};
	uint8_t shape = feed_u8(&m->in);

	p.set_rows = (uint32_t)number(m);
	p.first_row = feed_u8(&m->in) % 8;
	p.columns = shape & 15;
	p.rows = shape >> 4 & 7;
	p.status = shape & 128 ? ERROR_READ_FAULT : 0;
	part(m, which, &p);
}

/* ------------------------------------------------------------------------- intervals */

static void counts(struct maker *m, bool busy)
{
	add_pair(m, number(m));
	add_pair(m, number(m));
	add_pair(m, 0);
	if (busy) {
		add_pair(m, number(m));
		add_pair(m, 0);
		add_pair(m, 0);
	}
}

static void utilisation(struct maker *m, unsigned mm)
{
	uint32_t types = feed_u8(&m->in) & 31, cpus = feed_u8(&m->in) % 5;

	add_word(m, types);
	add_word(m, 1);
	add_word(m, cpus);
	add_pair(m, number(m));
	while (cpus--) {
		for (unsigned i = 0; i < 6; i++)
			if (i == 0 || (i < 3 && types & 1) || (i == 3 && types & 2) ||
				(i > 3 && types & 4))
				add_pair(m, number(m));
		for (unsigned bit = 8; bit <= 16; bit *= 2)
			if (types & bit)
				add_word(m, (uint32_t)number(m));
	}
	hook(m, CPUUTIL_MAJOR, CPUUTIL_MINOR_PER_CPU | mm);
}

static void cpi(struct maker *m, unsigned mm, bool system)
{
	uint32_t types = feed_u8(&m->in) & 3, cpus = system ? 1 : feed_u8(&m->in) % 5;

	add_word(m, types);
	if (!system)
		add_word(m, cpus);
	add_pair(m, number(m));
	while (cpus--)
		counts(m, types & CPI_HOOK_BUSY);
	hook(m, CPI_MAJOR, (system ? CPI_MINOR_SYSTEM : CPI_MINOR_PER_CPU) | mm);
}

static void interval(struct maker *m, unsigned how)
{
	if (how & 1)
		utilisation(m, how >> 1 & 1);
	if (how & 4)
		cpi(m, how >> 1 & 1, true);
	if (how & 8)
		cpi(m, how >> 1 & 1, false);
}

/* ------------------------------------------------------------------------ statements */

static void change_hook(struct maker *m, unsigned at)
{
	uint32_t words;

	if (!m->hooks)
		return;
	words = get_le16(m->out.p + m->last + REC_NWORDS);
	at += 32u * (feed_u8(&m->in) & 7);
	if (words)
		put_le32(m->out.p + m->last + REC_HEADER_SIZE + 4 * (size_t)(at % words),
			(uint32_t)number(m));
}

static void statement(struct maker *m, uint8_t code)
{
	unsigned operand = code >> 3;
	uint32_t n;

	switch (code & 7) {
	case DEFINITION:
		definition(m, operand);
		break;
	case SAMPLE:
		sample(m, operand);
		break;
	case PART:
		any_part(m, operand);
		break;
	case INTERVAL:
		interval(m, operand);
		break;
	case COUNTERS:
		n = feed_u8(&m->in) % 9;
		if (operand & 16)
			counterset(m, operand, (uint32_t)number(m));
		else
			counters(m, operand, (uint32_t)number(m), feed_u8(&m->in) % 9, n);
		break;
	case LATER:
		m->stamp += operand < 24 ? operand : UINT64_C(1) << 2 * (operand - 16);
		m->time += operand & 1;
		break;
	case THREAD:
		m->tid = operand;
		break;
	default:
		change_hook(m, operand);
	}
}

/* The trace's first stamp, and its clock's frequency. */
static void header(struct maker *m, struct bytes *recipe)
{
	static const uint64_t frequency[] = {1000000000, 10000000, 1000, 100000000000};
	uint8_t h[TF_HEADER_SIZE], how = feed_u8(&m->in);

	fill_header(h, 2, 1 << 20, frequency[how & 3]);
	put_le64(h + TF_H_SYNC + TF_SYNC_TICKS, 1000);
	put_le64(h + TF_H_SYNC + TF_SYNC_REALTIME, how & 4 ? feed_u64(&m->in) : 5000000000);
	bytes_put(recipe, h, sizeof h);
	m->stamp = how & 8 ? feed_u64(&m->in) : 1000;
}

unsigned replay_made(struct feed *in, struct bytes *file)
{
	struct maker *m = calloc(1, sizeof *m);
	struct bytes recipe = {0};
	uint8_t section[TF_SECTION_SIZE] = {0};
	unsigned hooks;

	if (!m)
		abort();
	m->in = *in;
	m->tid = m->time = 1;
	header(m, &recipe);
	while (m->in.n && m->out.n < MOST_BYTES)
		statement(m, feed_u8(&m->in));
	put_le32(section, TF_SECTION_MAGIC);
	put_le16(section + TF_S_TYPE, TF_TYPE_HOOKS);
	bytes_put(&recipe, section, sizeof section);
	bytes_put(&recipe, m->out.p, m->out.n);
	recipe_build_honest(recipe.p, recipe.n, file);
	hooks = m->hooks;
	bytes_free(&recipe);
	bytes_free(&m->out);
	bytes_free(&m->text);
	free(m);
	return hooks;
}
