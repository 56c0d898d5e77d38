/*
 * A partial result: the tally of a trace or of a slice, and its sources, so that results can be
 * merged, even across machines. formats/partial.md is the file format.
 *
 * decoder/model/stats/partial owns partial results: their reading and writing. It includes base,
 * clock, tally and trace. Errors as in trace/trace.h.
 */
#ifndef SWT_DECODER_MODEL_STATS_PARTIAL_PARTIAL_H
#define SWT_DECODER_MODEL_STATS_PARTIAL_PARTIAL_H

#include "../../../../formats/base/buffer.h"
#include "../../../../formats/base/hash_index.h"
#include "../../../../formats/partial.h"
#include "../../trace/clock/clock.h"
#include "../tally/tally.h"
#include "../../trace/trace.h"

enum { PARTIAL_DAMAGE = 1000, PARTIAL_CLOCK_FINDINGS = 1000 };

#define PARTIAL_NO_ERROR UINT64_MAX

/* A section that is damaged inside. */
struct partial_damage {
	uint64_t offset, bytes;
};

/* A range of a ring whose hooks a file holds. */
struct partial_span {
	uint32_t ring;
	uint64_t from, to; /* positions */
};

/* One trace file. */
struct partial_source {
	uint8_t trace_id[16];
	uint64_t fingerprint; /* differs between the files of a trace */
	char *path;
	char *host;		/* of META; NULL: unknown */
	uint64_t time_error_ns; /* trace_time_error, rounded up; PARTIAL_NO_ERROR: unknown */
	char *command;		/* of META; NULL: unknown */
	char *cgroup;		/* of META, the session's owner's; NULL: unknown */
	bool has_hooks;
	uint64_t first, last;	   /* ticks of its hooks */
	uint64_t ticks_per_second; /* as it was read */
	bool scripted;
	bool has_rings; /* the file says which rings its hooks are of */
	uint8_t rings[16];
	struct trace_rotation rotation;
	struct partial_span *spans; /* by ring */
	size_t nspans, spans_cap;
	struct tick_range *slices; /* sorted, disjoint */
	size_t nslices, slices_cap;
	uint64_t counts[PARTIAL_COUNTS];
	struct partial_damage *damage; /* by offset */
	size_t ndamage, damage_cap;
	struct clock_finding *findings; /* findings of its clock syncs, by ticks */
	size_t nfindings, findings_cap;
};

/* Options of a report, like `--report=summary`. */
struct partial_arguments {
	char **at;
	size_t count, cap, bytes;
};

/* The ids of the threads that a trace names, and their containers. */
struct partial_threads {
	uint8_t trace_id[16];
	bool has_several; /* in several containers */
	char *container;  /* else of all, from CONTAINERS; NULL: none */
	uint32_t *tids;	  /* in order */
	size_t count, cap;
};

/* Data that a report needs besides or instead of the tally, encoded by the report. Each merged
 * part's is prefixed by its length. */
struct partial_answers {
	enum partial_answer kind;
	bool has_origin;
	int64_t origin; /* CLOCK_REALTIME ns: where the cells of a heat map begin */
	struct buffer bytes;
	size_t count;	/* one per merged part; 0 or 1 once settled */
	size_t settled; /* bytes after the last partial_settle */
};

/* Starts zeroed except for tally.wanted. */
struct partial {
	char *filter;			    /* as text; NULL: still empty */
	struct partial_arguments arguments; /* of the report that it is for; none: of any */
	struct partial_source *sources;	    /* once settled: by trace id, then fingerprint */
	size_t nsources, sources_cap;
	/* Indexes of the first `indexed` sources. Sorting the sources drops both. */
	struct hash_index by_trace, by_rings;
	size_t indexed;
	struct partial_threads *threads; /* once settled: by trace id, none empty */
	size_t nthreads, threads_cap, threads_settled;
	struct partial_answers answers; /* of a report that needs more than a tally */
	struct tally tally;
};

enum {
	/* A partial result's file has everything that any report needs. */
	PARTIAL_WANTED = TALLY_WANT_CPUS | TALLY_WANT_VALUES | TALLY_WANT_ORDER,
	PARTIAL_OTHER_FILTER = 1, /* partial_merge: results */
	PARTIAL_OTHER_REPORT,
	PARTIAL_OTHER_ORIGIN,
	PARTIAL_TWICE,
	PARTIAL_SHARED,
	PARTIAL_AGAIN,
};

/* The indexes of two sources that conflict: in *p, and in `from`. */
struct partial_clash {
	size_t before, came;
};

struct varint_in;

/* Adds a source, for ranges and damage; call partial_sort after the last. NULL: no memory. */
struct partial_source *partial_add_source(struct partial *p, const char *path);
int partial_add_span(struct partial_source *s, struct partial_span span);
/* Keeps the slices in order, and one of adjacent ones. */
int partial_add_slice(struct partial_source *s, struct tick_range slice);
int partial_add_finding(struct partial_source *s, const struct clock_finding *finding);
int partial_add_damage(struct partial_source *s, struct partial_damage damage);
/* The sources, as they are in a file. */
void partial_sort(struct partial *p);
int partial_add_answer(struct partial *p, enum partial_answer kind, const uint8_t *bytes, size_t n);
int partial_merge_answers(struct partial *p, const struct partial *from);
/* Keeps kind and origin. */
void partial_clear_answers(struct partial *p);
bool partial_has_other_origin(const struct partial *p, const struct partial *from);
/* After the last, before any query: sorts sources and groups. Then more may be merged, and it has
 * to be called again. */
int partial_settle(struct partial *p);
/* Compares by the identity of files: below 0, 0, above. */
int partial_compare_sources(const struct partial_source *x, const struct partial_source *y);

/*
 * Merges `from`, which need not be settled, into *p: 0 or CPIDECODE_ENOMEM. On a conflict p is
 * unchanged: PARTIAL_OTHER_FILTER; PARTIAL_OTHER_REPORT; PARTIAL_OTHER_ORIGIN; PARTIAL_AGAIN, p has
 * all of `from` already; PARTIAL_TWICE, part of a source of `from` is in p already; PARTIAL_SHARED,
 * it has hooks that another source of p has too. For the last two *clash names the sources.
 */
int partial_merge(struct partial *p, const struct partial *from, struct partial_clash *clash);

/* The first known cgroup of the sessions' owners; NULL: unknown. *differ: the owners are in
 * different ones. */
const char *partial_owner(const struct partial *p, bool *differ);
/* Whether reports show containers, as those of the traces do. *hidden: the owner's name, which they
 * do not show; NULL: they show all names. */
bool partial_shows_containers(const struct partial *p, const char **hidden);
/* Whether its groups have the intervals' containers. */
static inline bool partial_has_containers(enum partial_answer kind)
{
	return kind == PARTIAL_NO_ANSWER || kind == PARTIAL_EXACT || kind == PARTIAL_WHY;
}
/* The most containers of a group in a file. If owners are in different containers, their names
 * have no room of their own. */
static inline uint32_t partial_most_containers(bool owners_differ)
{
	return owners_differ ? TALLY_CONTAINERS : TALLY_CONTAINERS_KEPT;
}
/* The host that all sources name; NULL: unknown, or several. */
const char *partial_host(const struct partial *p);
/* Whether it holds every interval of the source's file. */
bool partial_whole(const struct partial_source *s);

/* The bytes of a settled histogram. */
void partial_put_histogram(struct buffer *o, const struct histogram *h);
/* Reads a histogram of at most `most` values into *h, which starts zeroed. 0 or
 * CPIDECODE_ENOMEM. */
int partial_get_histogram(struct varint_in *in, struct histogram *h, uint64_t most);

/* A ratio's sums and instants: what it has but the counts of its intervals. */
void partial_put_ratio(struct buffer *o, const struct ratio *r);
void partial_get_ratio(struct varint_in *in, struct ratio *r, uint64_t most);

/* The bytes of the file, of a settled one. */
void partial_write(struct buffer *o, const struct partial *p);
/* Makes them one of several results in a file, with that many after it. */
void partial_set_following(uint8_t *bytes, size_t n, uint32_t following);
/* The size of the first result of a file, or of the rest of one, and how many follow it.
 * 0 with *why set: not a partial result, or a damaged one. */
size_t partial_size(const uint8_t *bytes, size_t n, uint32_t *following, const char **why);
/* Parses one result, without settling. 0, CPIDECODE_ENOMEM, or 1 with *why set: not a partial
 * result, or a damaged one. *p starts zeroed but for tally.wanted: the rest of the tally is only
 * checked. */
int partial_read(struct partial *p, const uint8_t *bytes, size_t n, const char **why);
void partial_free(struct partial *p);

#endif
