/*
 * A partial result: the tally of a trace, or of a slice of one, and what it was made of, so
 * that several can be put together, even across machines. formats/partial.md is how it
 * looks in a file.
 */
#ifndef SWT_DECODER_MODEL_STATS_PARTIAL_H
#define SWT_DECODER_MODEL_STATS_PARTIAL_H

#include "../../../formats/partial.h"
#include "../trace/clock.h"
#include "tally.h"
#include "../trace/trace.h"

enum { PARTIAL_DAMAGE = 1000, PARTIAL_CLOCK_FINDINGS = 1000 };

/* A section that is damaged inside. */
struct partial_damage {
	uint64_t offset, bytes;
};

/* A ring's bytes that a file has hooks of. */
struct partial_span {
	uint32_t ring;
	uint64_t from, to; /* positions */
};

/* One trace file. */
struct partial_source {
	uint8_t trace_id[16];
	uint64_t fingerprint; /* of the file: files of one trace differ in it */
	char *path;
	bool scripted;
	bool has_rings; /* the file says which rings its hooks are of */
	uint8_t rings[16];
	struct trace_rotation rotation;
	struct partial_span *spans; /* by ring */
	size_t nspans, spans_cap;
	struct tick_range *slices; /* in order, apart from each other */
	size_t nslices, slices_cap;
	uint64_t counts[PARTIAL_COUNTS];
	struct partial_damage *damage; /* by offset */
	size_t ndamage, damage_cap;
	struct clock_finding *findings; /* what its clock syncs tell, in order of ticks */
	size_t nfindings, findings_cap;
};

/* Starts zeroed but for tally.wanted. */
struct partial {
	char *filter;			/* as text; NULL: nothing was put in yet */
	struct partial_source *sources; /* by trace id, then fingerprint */
	size_t nsources, sources_cap;
	struct tally tally; /* settled */
};

enum {
	/* In a partial the tally has everything that a report may ask for. */
	PARTIAL_WANTED = TALLY_WANT_CPUS | TALLY_WANT_VALUES | TALLY_WANT_ORDER,
	PARTIAL_OTHER_FILTER = 1, /* partial_merge: results */
	PARTIAL_TWICE,
	PARTIAL_SHARED,
};

/* Two sources that do not go together, by index: of what was there before, and of what came. */
struct partial_clash {
	size_t before, came;
};

struct varint_out;

/* A source that ranges and damage are added to; partial_sort when all are there. NULL: no memory.
 */
struct partial_source *partial_add_source(struct partial *p, const char *path);
int partial_add_span(struct partial_source *s, struct partial_span span);
int partial_add_slice(struct partial_source *s, struct tick_range slice);
int partial_add_finding(struct partial_source *s, const struct clock_finding *finding);
int partial_add_damage(struct partial_source *s, struct partial_damage damage);
void partial_sort(struct partial *p);
/* By what tells files apart: below 0, 0, above. */
int partial_compare_sources(const struct partial_source *x, const struct partial_source *y);

/*
 * Puts from into *p: 0 or CPIDECODE_ENOMEM. PARTIAL_OTHER_FILTER, PARTIAL_TWICE (some of a source
 * of from is in p already), PARTIAL_SHARED (it has hooks that another source of p has, too): they
 * do not go together, and p is as before; *clash says which, of the latter two.
 */
int partial_merge(struct partial *p, const struct partial *from, struct partial_clash *clash);

/* Every interval of the source's file is in. */
bool partial_whole(const struct partial_source *s);

/* The whole file's bytes. */
void partial_write(struct varint_out *o, const struct partial *p);
/* 0, CPIDECODE_ENOMEM, or 1 with *why set: no partial result, or a damaged one. *p starts zeroed.
 */
int partial_read(struct partial *p, const uint8_t *bytes, size_t n, const char **why);
void partial_free(struct partial *p);

#endif
