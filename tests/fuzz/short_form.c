#include "short_form.h"

#include "../../formats/scope_hooks.h"
#include "../lib/trace_build.h"
#include "recipe.h"

enum { MOST_BYTES = 1 << 18, MOST_CPUS = 9 };

/* A statement's low three bits; the other five are its first operand. */
enum statement {
	HOOK,	/* a hook of any major with arbitrary words and strings */
	GROUP,	/* a CPI group whose parts agree */
	PART,	/* one hook of a CPI group, regardless of the preceding hooks */
	LATER,	/* the stamp advances */
	BACK,	/* the stamp steps back, as in a damaged trace */
	THREAD, /* the thread of the following hooks */
	ODD,	/* pads, torn and reserved records */
	BYTES,	/* raw bytes */
};

struct maker {
	struct feed in;
	struct bytes out;
	uint64_t stamp, first, last, elapsed;
	uint32_t tid, hooks, torn;
};

struct words {
	uint32_t at[256];
	unsigned n;
};

static void add_word(struct words *w, uint32_t v)
{
	if (w->n < sizeof w->at / sizeof *w->at)
		w->at[w->n++] = v;
}

static void add_pair(struct words *w, uint64_t v)
{
	add_word(w, (uint32_t)(v >> 32));
	add_word(w, (uint32_t)v);
}

/* Mostly small numbers, sometimes all 64 bits. */
static uint64_t number(struct feed *in)
{
	uint8_t b = feed_u8(in);

	if (b < 0xF0)
		return b;
	if (b < 0xF8)
		return feed_u16(in);
	return b < 0xFC ? feed_u32(in) : feed_u64(in);
}

static void quotient(struct words *w, struct feed *in)
{
	add_word(w, (uint32_t)number(in));
	add_word(w, (uint32_t)number(in) * 40);
}

static void record(struct maker *m, uint8_t major, uint32_t minor, const struct words *w,
	unsigned nstrings, const struct bytes *strings)
{
	struct made_record r = {.major = major,
		.nstrings = (uint8_t)nstrings,
		.nwords = (uint16_t)w->n,
		.minor = minor,
		.tid = m->tid,
		.stamp = m->stamp,
		.words = w->at};

	put_record(&m->out, &r, strings);
	if (!m->hooks++)
		m->first = m->last = m->stamp;
	m->first = m->stamp < m->first ? m->stamp : m->first;
	m->last = m->stamp > m->last ? m->stamp : m->last;
}

/* Few labels, so that groups share them; sometimes arbitrary bytes. */
static void put_any_label(struct bytes *to, struct feed *in)
{
	static const char *const labels[] = {"a", "b", "outer", "a;b", "<\"&'>", "\x1b[31m",
		"\xC2\x9B[0m", "=1+1", "\xFF\xC0", "\xE2\x80\xAE", "", "a,b\r\n", "]]></script>"};
	uint8_t choice = feed_u8(in);
	const char *label = labels[choice % (sizeof labels / sizeof *labels)];
	const uint8_t *p;

	if (choice < 0xC0) {
		put_string(to, label, strlen(label));
		return;
	}
	size_t n = feed_bytes(in, choice & 0x3F, &p);
	put_string(to, p, n);
}

static void put_any_hook(struct maker *m, unsigned operand)
{
	struct words w = {0};
	struct bytes strings = {0};
	uint8_t major = feed_u8(&m->in);
	uint32_t minor = feed_u8(&m->in);
	unsigned nstrings = operand & 3;

	for (unsigned i = 0; i < operand >> 2; i++)
		add_word(&w, (uint32_t)number(&m->in));
	for (unsigned i = 0; i < nstrings; i++)
		put_any_label(&strings, &m->in);
	/* Kinds, as of light intervals and of arguments. */
	if (major == SCOPE_MAJOR || major == INTERVAL_MAJOR)
		minor <<= 28;
	record(m, major, minor, &w, nstrings, &strings);
	bytes_free(&strings);
}

static void summary_words(struct words *w, struct maker *m, uint32_t types, uint32_t cpus)
{
	add_word(w, types);
	add_word(w, cpus);
	add_pair(w, m->elapsed);
	for (uint32_t i = 0; i <= cpus; i++)
		quotient(w, &m->in);
	for (uint32_t i = 0; types & CPI_HOOK_BUSY && i <= cpus; i++) {
		quotient(w, &m->in);
		quotient(w, &m->in);
	}
	if (types & CPI_HOOK_THREAD)
		quotient(w, &m->in);
}

static void counts(struct words *w, struct maker *m, bool busy)
{
	add_pair(w, number(&m->in));
	add_pair(w, number(&m->in));
	quotient(w, &m->in);
	if (busy) {
		add_pair(w, number(&m->in));
		quotient(w, &m->in);
		quotient(w, &m->in);
	}
}

static void quality_words(struct words *w, struct maker *m)
{
	uint32_t known = feed_u8(&m->in), quantities = feed_u8(&m->in) % 6;

	add_word(w, feed_u8(&m->in));
	add_word(w, known);
	add_pair(w, m->elapsed);
	add_word(w, quantities);
	for (uint32_t i = 0; i < quantities; i++) {
		add_word(w, feed_u8(&m->in));
		add_pair(w, number(&m->in));
		add_pair(w, number(&m->in));
	}
	for (unsigned i = 0; i < CPI_QUALITY_LIFE; i++)
		if (known >> i & 1)
			add_pair(w, number(&m->in));
}

static void part(struct maker *m, uint32_t minor, uint32_t types, uint32_t cpus)
{
	struct words w = {0};
	struct bytes strings = {0};
	bool label = false;

	switch (minor & CPI_MINOR_KIND) {
	case CPI_MINOR_SUMMARY:
		summary_words(&w, m, types, cpus);
		break;
	case CPI_MINOR_SYSTEM:
		add_word(&w, types);
		add_pair(&w, m->elapsed);
		counts(&w, m, types & CPI_HOOK_BUSY);
		break;
	case CPI_MINOR_PER_CPU:
		add_word(&w, types);
		add_word(&w, cpus);
		add_pair(&w, m->elapsed);
		for (uint32_t i = 0; i < cpus; i++)
			counts(&w, m, types & CPI_HOOK_BUSY);
		break;
	case CPI_MINOR_THREAD:
		add_word(&w, m->tid);
		add_pair(&w, m->elapsed);
		counts(&w, m, false);
		break;
	case CPI_MINOR_QUALITY:
		quality_words(&w, m);
		break;
	default:
		add_pair(&w, m->elapsed);
		put_any_label(&strings, &m->in);
		label = true;
		break;
	}
	record(m, CPI_MAJOR, minor, &w, label, &strings);
	bytes_free(&strings);
}

static const uint32_t kinds[] = {CPI_MINOR_LABEL_START, CPI_MINOR_SUMMARY, CPI_MINOR_SYSTEM,
	CPI_MINOR_PER_CPU, CPI_MINOR_THREAD, CPI_MINOR_QUALITY, CPI_MINOR_LABEL_END};

static void group(struct maker *m, unsigned operand)
{
	uint8_t parts = feed_u8(&m->in), shape = feed_u8(&m->in);
	uint32_t types = shape & 7, cpus = (shape >> 3) % MOST_CPUS;

	m->elapsed = number(&m->in);
	for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (parts >> i & 1)
			part(m, kinds[i] | (operand & 3), types, cpus);
	m->stamp += operand >> 2;
}

static void odd(struct maker *m, unsigned operand)
{
	uint8_t b[64] = {0};
	uint32_t size = REC_ALIGN + (operand >> 2) * REC_ALIGN;
	uint32_t committed = operand & 1 ? REC_COMMITTED : 0;

	put_le32(b, size | (operand & 2 ? REC_KIND_PAD : 2) | committed);
	m->torn += !committed;
	bytes_put(&m->out, b, size);
}

static void statement(struct maker *m, uint8_t code)
{
	unsigned operand = code >> 3;
	const uint8_t *p;

	switch (code & 7) {
	case HOOK:
		put_any_hook(m, operand);
		break;
	case GROUP:
		group(m, operand);
		break;
	case PART:
		part(m, kinds[operand % (sizeof kinds / sizeof *kinds)] | (operand & 8),
			feed_u8(&m->in) & 7, feed_u8(&m->in) % MOST_CPUS);
		break;
	case LATER:
		m->stamp += operand < 24 ? operand : 1ull << (2 * (operand - 16));
		break;
	case BACK:
		m->stamp -= operand;
		break;
	case THREAD:
		m->tid = operand;
		break;
	case ODD:
		odd(m, operand);
		break;
	case BYTES:
		operand = (unsigned)feed_bytes(&m->in, 8 * (size_t)operand, &p);
		bytes_put(&m->out, p, operand);
		break;
	}
}

void short_form_expand(struct bytes *payload, uint8_t *h)
{
	struct maker m = {.in = {payload->p, payload->n}, .stamp = 1000, .tid = 1};

	while (m.in.n && m.out.n < MOST_BYTES)
		statement(&m, feed_u8(&m.in));
	if (!(h[7] & SHAPE_LIES)) {
		put_le32(h + TF_S_HOOKS, m.hooks);
		put_le64(h + TF_S_FIRST, m.first);
		put_le64(h + TF_S_LAST, m.last);
		put_le32(h + TF_S_TORN, m.torn);
	}
	bytes_free(payload);
	*payload = m.out;
}
