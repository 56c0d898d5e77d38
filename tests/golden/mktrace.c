/*
 * mktrace [SCRIPT [OUTPUT]]: a readable script of a trace -> its bytes, so that the
 * decoder is judged by traces that nothing of this toolkit wrote. Written from
 * trace-file.md alone; it shares no constant with the decoder on purpose.
 *
 * One statement a line, # starts a comment. Numbers are decimal or 0x hexadecimal.
 * Strings stand in double quotes, escapes \n \r \t \e \0 \\ \" \xNN. BYTES are
 * pairs of hexadecimal digits and strings. Everything not said is computed.
 *
 * Header, before the first section:
 *   clock tsc|raw|arm|N   hz N   sync TICKS REALTIME MONOTONIC   flags N   cpus N
 *   id HEX                maxraw N
 *
 * Sections:
 *   section TYPE [codec=none|lz4|zlib|N] [ring=N] [guest=N] [position=N] [lost=N]
 *           [hooks=N] [torn=N] [first=N] [last=N] [raw=N] [stored=N] [aligned=no]
 *     TYPE: hooks meta schema tasks clock loss index end causes labels, or a number. guest=N is
 *     ring 0x80000000+N. Without position it follows the ring's section before. An
 *     index section lists the HOOKS sections so far.
 *   hook MAJOR MINOR [tid=N] [at=STAMP] [uncommitted] DATA...
 *     DATA: a word; 64:N two words, high first; f64:X a double likewise; 4:1.2345 integral
 *     part and fraction; "string" (len=N before it: its length lies). tid and at stay for
 *     the next record. size= control= nwords= nstrings= override the record's own.
 *   pad SIZE [uncommitted]
 *   group mm=N [tid=N] [at=STAMP] elapsed=N [types=N] [label="..."] [summary] [detailed]
 *     cpu INSTRUCTIONS CYCLES BUSY [xTIMES]
 *     thread INSTRUCTIONS CYCLES
 *     quality [flags=N] [on_cpu=N] [switches=N] [migrations=N] [faults=N]
 *     quantity SOURCE ENABLED RUNNING      one of the quality hook's
 *   endgroup             the hooks of one CpiGetAndTrace, ratios computed
 *   task TID PID FIRST "name"
 *   sync TICKS REALTIME MONOTONIC
 *   loss RING FULL BIG HELD NOGUEST OVERWRITTEN TORN SKIPPED
 *   causes RING NOSLOT NOMEMORY UNATTACHED UNWRITTEN
 *   label "text" [len=N]  an entry of LABELS; len: its length lies
 *   | text               a line of META or SCHEMA, to the end of the line
 *   bytes BYTES          zeros N
 *
 * Between sections: garbage BYTES.
 *
 * An NRM2 file instead, if this comes first:
 *   nrm2 little|big [mode=N] [cpus=N] [word=N] [os="..."]
 *   section trace|table|final|N [cpu=N] [lost=N] [size=N] [start=N] ...
 *     hook MAJOR MINOR [at=STAMP] [type=N] [length=N] [count=N] INTEGER... "string"...
 *     carry N              the last N bytes stand at the start of the next section
 *     bytes BYTES          zeros N
 *   kallsyms BYTES         modules BYTES       behind the sections
 *
 * Damage, after the last section, in order. AT is a number, header, sN (the header
 * of the Nth section from 0), sN.payload or end, with +N or -N behind it; places are
 * those of the undamaged file:
 *   flip AT [MASK]   put AT BYTES   put8|put16|put32|put64 AT N   insert AT BYTES
 *   remove AT N      truncate AT    fix header|sN (computes that checksum again)
 */
#include "mk_nrm2.h"
#include "mk_record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <lz4.h>
#include <xxhash.h>
#include <zlib.h>

enum { HEADER = 256, SECTION = 64, MAX_SECTIONS = 4096, MAX_RINGS = 256 };
enum { HOOKS = 1, INDEX = 7 };

static struct bytes file, payload;
static uint8_t header[HEADER];
static bool own_max_raw, finished, nrm2;
static size_t place[MAX_SECTIONS];
static unsigned sections;
static uint32_t max_raw;

/* The section being written; `says` holds its overrides. */
static bool in_section, aligned;
static uint8_t shead[SECTION];
static struct tally tally;
static struct line says;
static char *says_text;

static struct {
	uint32_t ring;
	uint64_t next;
} ring_position[MAX_RINGS];
static unsigned rings;

static const char *const types[] = {"", "hooks", "meta", "schema", "tasks", "clock", "loss",
	"index", "end", "causes", "labels"};
static const char *const codecs[] = {"none", "lz4", "zlib"};

static uint64_t named(const char *text, const char *const *names, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (*names[i] && strcmp(text, names[i]) == 0)
			return i;
	return number(text);
}

static uint64_t *position_of(uint32_t ring)
{
	unsigned i;

	for (i = 0; i < rings; i++)
		if (ring_position[i].ring == ring)
			return &ring_position[i].next;
	if (rings == MAX_RINGS)
		fail("more than %d rings", MAX_RINGS);
	ring_position[rings].ring = ring;
	return &ring_position[rings++].next;
}

static void compress_payload(struct bytes *out)
{
	uLongf zlib_size = compressBound(payload.n);
	int lz4_size = LZ4_compressBound((int)payload.n);

	if (shead[6] == 1) {
		add_zeros(out, (size_t)lz4_size + 1);
		out->n = (size_t)LZ4_compress_default(
			(char *)payload.p, (char *)out->p, (int)payload.n, lz4_size);
	} else if (shead[6] == 2) {
		add_zeros(out, zlib_size);
		compress(out->p, &zlib_size, payload.p, payload.n);
		out->n = zlib_size;
	} else {
		add(out, payload.p, payload.n);
	}
}

static uint64_t section_sum(const uint8_t *head, const uint8_t *stored, size_t n)
{
	XXH3_state_t *state = XXH3_createState();
	uint64_t sum;

	XXH3_64bits_reset(state);
	XXH3_64bits_update(state, head, 56);
	XXH3_64bits_update(state, stored, n);
	sum = XXH3_64bits_digest(state);
	XXH3_freeState(state);
	return sum;
}

/* Each key of the section statement as a header field. */
static void override_section(void)
{
	static const struct {
		const char *key;
		unsigned at, size;
	} fields[] = {{"stored", 8, 4}, {"raw", 12, 4}, {"hooks", 20, 4}, {"position", 24, 8},
		{"first", 32, 8}, {"last", 40, 8}, {"lost", 48, 4}, {"torn", 52, 4}};
	const unsigned n = sizeof fields / sizeof *fields;

	for (unsigned i = 1; i < says.n; i++) {
		const struct token *t = &says.token[i];
		unsigned f = 0;

		if (strcmp(t->key, "codec") == 0 || strcmp(t->key, "ring") == 0 ||
			strcmp(t->key, "guest") == 0 || strcmp(t->key, "aligned") == 0)
			continue;
		while (f < n && strcmp(t->key, fields[f].key))
			f++;
		if (f == n)
			fail("a section has no %s=", *t->key ? t->key : t->text);
		set_le(shead + fields[f].at, number(t->text), fields[f].size);
	}
}

static void index_payload(void)
{
	for (unsigned i = 0; i < sections; i++) {
		const uint8_t *head = file.p + place[i];

		if (le(head + 4, 2) != HOOKS)
			continue;
		add_le(&payload, place[i], 8);
		add(&payload, head + 16, 40);
	}
}

static void close_section(void)
{
	struct bytes stored = {0};
	uint64_t *next = NULL;

	if (!in_section)
		return;
	in_section = false;
	if (le(shead + 4, 2) == INDEX)
		index_payload();
	compress_payload(&stored);
	set_le(shead + 8, stored.n, 4);
	set_le(shead + 12, payload.n, 4);
	set_le(shead + 20, tally.hooks, 4);
	set_le(shead + 32, tally.first, 8);
	set_le(shead + 40, tally.last, 8);
	set_le(shead + 52, tally.torn, 4);
	if (le(shead + 4, 2) == HOOKS) {
		next = position_of((uint32_t)le(shead + 16, 4));
		set_le(shead + 24, *next, 8);
	}
	override_section();
	if (next)
		*next = le(shead + 24, 8) + payload.n;
	if (le(shead + 12, 4) > max_raw)
		max_raw = (uint32_t)le(shead + 12, 4);
	set_le(shead + 56, section_sum(shead, stored.p, stored.n), 8);
	place[sections++] = file.n;
	add(&file, shead, SECTION);
	add(&file, stored.p, stored.n);
	if (aligned)
		add_align(&file, 8);
	free(stored.p);
	free(says_text);
}

static void open_section(struct line *l)
{
	struct token *type = next_token(l);

	close_section();
	if (finished)
		fail("the file is finished: damage comes last");
	if (!file.n)
		add(&file, header, HEADER);
	if (!type || sections == MAX_SECTIONS)
		fail("a section's type is missing, or there are too many sections");
	payload.n = 0;
	memset(&tally, 0, sizeof tally);
	memset(shead, 0, SECTION);
	set_le(shead, 0x53545753, 4);
	set_le(shead + 4, named(type->text, types, 11), 2);
	aligned = in_section = true;
	for (unsigned i = 1; i < l->n; i++) {
		const struct token *t = &l->token[i];

		if (strcmp(t->key, "codec") == 0)
			shead[6] = (uint8_t)named(t->text, codecs, 3);
		else if (strcmp(t->key, "ring") == 0)
			set_le(shead + 16, number(t->text), 4);
		else if (strcmp(t->key, "guest") == 0)
			set_le(shead + 16, 0x80000000u + number(t->text), 4);
		else if (strcmp(t->key, "aligned") == 0)
			aligned = strcmp(t->text, "no");
	}
}

static void finish(void)
{
	close_section();
	if (finished)
		return;
	finished = true;
	if (nrm2) {
		nrm2_finish(&file);
		return;
	}
	if (!file.n)
		add(&file, header, HEADER);
	memcpy(file.p, header, HEADER);
	if (!own_max_raw)
		set_le(file.p + 36, max_raw, 4);
	set_le(file.p + 248, XXH3_64bits(file.p, 248), 8);
}

static void start_header(void)
{
	memcpy(header, "\x89SWT\r\n\x1a\n", 8);
	set_le(header + 8, 1, 2);
	set_le(header + 12, HEADER, 4);
	memcpy(header + 16, "golden trace one", 16);
	set_le(header + 32, 1, 4);
	set_le(header + 40, 1, 4);
	set_le(header + 48, 1000000000, 8);
}

static bool header_statement(const char *what, struct line *l)
{
	static const char *const clocks[] = {"", "tsc", "raw", "arm"};
	struct bytes id = {0};

	if (strcmp(what, "clock") == 0) {
		struct token *t = next_token(l);

		set_le(header + 40, named(t ? t->text : "", clocks, 4), 4);
	} else if (strcmp(what, "hz") == 0) {
		set_le(header + 48, next_number(l), 8);
	} else if (strcmp(what, "sync") == 0 && !in_section) {
		for (unsigned i = 0; i < 3; i++)
			set_le(header + 56 + 8 * i, next_number(l), 8);
	} else if (strcmp(what, "flags") == 0) {
		set_le(header + 44, next_number(l), 4);
	} else if (strcmp(what, "cpus") == 0) {
		set_le(header + 32, next_number(l), 4);
	} else if (strcmp(what, "maxraw") == 0) {
		set_le(header + 36, next_number(l), 4);
		own_max_raw = true;
	} else if (strcmp(what, "id") == 0) {
		next_bytes(l, &id);
		if (id.n != 16)
			fail("a trace id is 16 bytes");
		memcpy(header + 16, id.p, 16);
		free(id.p);
	} else {
		return false;
	}
	if (file.n)
		fail("the header comes before the first section");
	return true;
}

static void task(struct line *l)
{
	struct token *name;
	size_t n;

	add_le(&payload, next_number(l), 4);
	add_le(&payload, next_number(l), 4);
	add_le(&payload, next_number(l), 8);
	name = next_token(l);
	n = name ? name->length : 0;
	if (n > 16)
		fail("a task's name is 16 bytes at most");
	add(&payload, name ? name->text : "", n);
	add_zeros(&payload, 16 - n);
}

static void loss(struct line *l)
{
	add_le(&payload, next_number(l), 4);
	add_le(&payload, 0, 4);
	for (unsigned i = 0; i < 7; i++)
		add_le(&payload, next_number(l), 8);
}

static void causes(struct line *l)
{
	add_le(&payload, next_number(l), 4);
	add_le(&payload, 0, 4);
	for (unsigned i = 0; i < 4; i++)
		add_le(&payload, next_number(l), 8);
	add_zeros(&payload, 24);
}

static void label(struct line *l)
{
	struct token *text = next_token(l), *length = next_token(l);

	if (!text || (length && strcmp(length->key, "len")))
		fail("a label is a text, and len=N");
	add_le(&payload, length ? number(length->text) : text->length, 4);
	add_le(&payload, 0, 4);
	add(&payload, text->text, text->length);
	add_align(&payload, 8);
}

static bool payload_statement(const char *what, struct line *l)
{
	if (strcmp(what, "hook") == 0) {
		mk_hook(l, &payload, &tally);
	} else if (strcmp(what, "pad") == 0) {
		mk_pad(l, &payload, &tally);
	} else if (strcmp(what, "group") == 0) {
		mk_group(l);
	} else if (strcmp(what, "cpu") == 0) {
		mk_group_cpu(l);
	} else if (strcmp(what, "thread") == 0) {
		mk_group_thread(l);
	} else if (strcmp(what, "quality") == 0) {
		mk_group_quality(l);
	} else if (strcmp(what, "quantity") == 0) {
		mk_group_quantity(l);
	} else if (strcmp(what, "endgroup") == 0) {
		mk_group_end(&payload, &tally);
	} else if (strcmp(what, "task") == 0) {
		task(l);
	} else if (strcmp(what, "loss") == 0) {
		loss(l);
	} else if (strcmp(what, "causes") == 0) {
		causes(l);
	} else if (strcmp(what, "label") == 0) {
		label(l);
	} else if (strcmp(what, "bytes") == 0) {
		next_bytes(l, &payload);
	} else if (strcmp(what, "zeros") == 0) {
		add_zeros(&payload, next_number(l));
	} else if (strcmp(what, "sync") == 0) {
		for (unsigned i = 0; i < 3; i++)
			add_le(&payload, next_number(l), 8);
	} else {
		return false;
	}
	if (!in_section)
		fail("\"%s\" stands in no section", what);
	return true;
}

/* header, sN, sN.payload, end or a number, then +N or -N. */
static size_t where(struct line *l)
{
	struct token *t = next_token(l);
	char *sign = t ? strpbrk(t->text, "+-") : NULL;
	size_t at, offset = sign ? number(sign + 1) : 0;
	bool minus = sign && *sign == '-';
	char *end;

	if (!t)
		fail("a place is missing");
	if (sign)
		*sign = '\0';
	if (strcmp(t->text, "header") == 0) {
		at = 0;
	} else if (strcmp(t->text, "end") == 0) {
		at = file.n;
	} else if (*t->text == 's') {
		unsigned long s = strtoul(t->text + 1, &end, 10);

		if (s >= sections || (*end && strcmp(end, ".payload")))
			fail("there is no section \"%s\"", t->text);
		at = place[s] + (!*end ? 0 : nrm2 ? NRM2_HEADER : SECTION);
	} else {
		at = number(t->text);
	}
	at = minus ? at - offset : at + offset;
	if (at > file.n)
		fail("place %zu lies beyond the file's %zu bytes", at, file.n);
	return at;
}

static void replace(size_t at, size_t out, const struct bytes *in)
{
	struct bytes tail = {0};

	if (at + out > file.n)
		fail("that ends beyond the file");
	add(&tail, file.p + at + out, file.n - at - out);
	file.n = at;
	add(&file, in->p, in->n);
	add(&file, tail.p, tail.n);
	free(tail.p);
}

static void fix(struct line *l)
{
	size_t at = where(l);
	uint8_t *head = file.p + at;

	if (!at) {
		set_le(head + 248, XXH3_64bits(head, 248), 8);
		return;
	}
	if (le(head + 8, 4) > file.n - at - SECTION)
		fail("the section's payload ends beyond the file");
	set_le(head + 56, section_sum(head, head + SECTION, le(head + 8, 4)), 8);
}

static bool damage_statement(const char *what, struct line *l)
{
	static const char *const verbs[] = {"flip", "put", "put8", "put16", "put32", "put64",
		"insert", "remove", "truncate", "fix"};
	unsigned verb = 0;
	struct bytes in = {0};
	size_t at;

	while (verb < 10 && strcmp(what, verbs[verb]))
		verb++;
	if (verb == 10)
		return false;
	finish();
	if (verb == 9) {
		fix(l);
		return true;
	}
	at = where(l);
	if (verb == 0) {
		uint8_t mask = l->at < l->n ? (uint8_t)next_number(l) : 0xff;

		if (at == file.n)
			fail("there is no byte to flip");
		file.p[at] ^= mask;
	} else if (verb == 8) {
		file.n = at;
	} else if (verb == 7) {
		replace(at, next_number(l), &in);
	} else {
		if (verb >= 2 && verb <= 5)
			add_le(&in, next_number(l), 1u << (verb - 2));
		else
			next_bytes(l, &in);
		replace(at, verb == 6 ? 0 : in.n, &in);
		free(in.p);
	}
	return true;
}

/* Handles a statement of an NRM2 file; false: it may be damage. */
static bool other_statement(const char *what, struct line *l)
{
	size_t at = file.n;
	bool opened;

	if (strcmp(what, "nrm2") == 0 && !file.n) {
		nrm2 = true;
		nrm2_begin(l);
		return true;
	}
	if (!nrm2 || finished || !nrm2_statement(what, l, &file, &opened))
		return false;
	if (opened)
		place[sections++] = at;
	return true;
}

static void statement(char *text)
{
	static struct line l;
	struct token *first;
	char *copy;

	text += strspn(text, " \t");
	if (*text == '|') {
		if (!in_section)
			fail("text stands in no section");
		text += 1 + (text[1] == ' ');
		add(&payload, text, strlen(text));
		add_le(&payload, '\n', 1);
		return;
	}
	copy = strdup(text);
	split(copy, &l);
	first = next_token(&l);
	if (first && other_statement(first->text, &l)) {
		free(copy);
		return;
	}
	if (first && strcmp(first->text, "section") == 0) {
		open_section(&l);
		says = l;
		says.n = l.n - 1;
		memmove(says.token, says.token + 1, says.n * sizeof *says.token);
		says_text = copy;
		return;
	}
	if (first && strcmp(first->text, "garbage") == 0) {
		close_section();
		if (!file.n)
			add(&file, header, HEADER);
		next_bytes(&l, &file);
	} else if (first && !header_statement(first->text, &l) &&
		   !payload_statement(first->text, &l) && !damage_statement(first->text, &l)) {
		fail("unknown statement \"%s\"", first->text);
	}
	if (next_token(&l))
		fail("something follows the end of the statement");
	free(copy);
}

int main(int argc, char **argv)
{
	FILE *in = argc > 1 && strcmp(argv[1], "-") ? fopen(argv[1], "r") : stdin;
	FILE *out = argc > 2 && strcmp(argv[2], "-") ? fopen(argv[2], "wb") : stdout;
	char *text = NULL;
	size_t room = 0;

	if (!in || !out) {
		perror(in ? argv[2] : argv[1]);
		return 1;
	}
	script_name(argc > 1 ? argv[1] : "-");
	start_header();
	while (getline(&text, &room, in) > 0) {
		script_line++;
		text[strcspn(text, "\n")] = '\0';
		statement(text);
	}
	finish();
	free(text);
	if (fwrite(file.p, 1, file.n, out) != file.n || fclose(out)) {
		perror("mktrace");
		return 1;
	}
	return 0;
}
