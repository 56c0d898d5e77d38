/*
 * A Perfetto trace of TrackEvents (protos/perfetto/trace of Perfetto), as ui.perfetto.dev and
 * trace_processor read it. Times are nanoseconds of CLOCK_REALTIME.
 *
 * Each track has a packet sequence of its own: the track, its counters and the clock are then the
 * sequence's defaults, times are differences, and names are numbers, which saves half of the bytes.
 * Nothing is kept of a sequence but the names that it knows, up to a limit.
 *
 *	perfetto_open(&p, out, now);
 *	perfetto_describe(&p, &track);
 *	perfetto_begin_sequence(&p, &s, track.uuid);
 *	perfetto_begin_event(&p, &s, PERFETTO_SLICE_BEGIN, time);
 *	perfetto_name(&p, &s, "parse", 5);
 *	perfetto_end_event(&p);
 *	perfetto_end_slice(&p, &s, later);
 *	perfetto_free_sequence(&s);
 *	perfetto_close(&p);
 *
 * Failures show in the stream's error.
 */
#ifndef SWT_DECODER_PERFETTO_H
#define SWT_DECODER_PERFETTO_H

#include "../../formats/base/hash_index.h"
#include "protobuf.h"

/*
 * This many values go with a slice's event, and one more with a counter's. trace_processor (v55)
 * keeps no values after the last one that is not 0, and loses those that follow a 0: counts come
 * before reals there, whatever their order here.
 */
enum { PERFETTO_VALUES_MAX = 8 };

/* A counter's value. */
struct perfetto_value {
	uint64_t track;
	bool is_real;
	union {
		int64_t count;
		double real;
	};
};

struct perfetto {
	struct out *out;
	struct protobuf packet;
	struct protobuf names; /* InternedData of the event that is open */
	int64_t base;	       /* where the sequences' clocks begin */
	uint32_t sequences;
};

enum { PERFETTO_RECENT_NAMES = 16 }; /* a power of two */

/* The names that a sequence has sent: number i + 1 is entry i. */
struct perfetto_names {
	struct perfetto_name {
		uint64_t hash;
		uint32_t at, length; /* in text */
	} * entries;
	size_t count, room;
	char *text;
	size_t text_used, text_room;
	struct hash_index index; /* of entries */
	/* Numbers found last, by some of their bytes: most events have the same few names. */
	uint32_t recent[PERFETTO_RECENT_NAMES];
};

struct perfetto_sequence {
	uint32_t id;
	uint64_t track;
	int64_t clock; /* the last time that was sent */
	struct perfetto_names names, arguments, words;
	/* Its defaults: the counters of its values, in order. */
	struct perfetto_value counters[PERFETTO_VALUES_MAX];
	unsigned ncounters;
};

enum perfetto_event_type {
	PERFETTO_SLICE_BEGIN = 1,
	PERFETTO_SLICE_END = 2,
	PERFETTO_INSTANT = 3,
	PERFETTO_COUNTER = 4,
};

enum perfetto_unit { PERFETTO_NO_UNIT = 0, PERFETTO_NS = 1, PERFETTO_COUNT = 2 };

enum perfetto_track_kind {
	PERFETTO_PLAIN,
	PERFETTO_PROCESS,
	PERFETTO_THREAD,
	PERFETTO_COUNTER_TRACK,
};

struct perfetto_track {
	enum perfetto_track_kind kind;
	uint64_t uuid, parent; /* parent 0: none */
	const char *name;      /* any bytes; NULL: none */
	size_t name_length;
	uint32_t pid, tid; /* above 0 */
	enum perfetto_unit unit;
};

/* base: at most the time of the first event. */
void perfetto_open(struct perfetto *p, struct out *out, int64_t base);
void perfetto_close(struct perfetto *p);
/* The same track may be described again. */
void perfetto_describe(struct perfetto *p, const struct perfetto_track *t);

/* s starts zeroed. */
void perfetto_begin_sequence(struct perfetto *p, struct perfetto_sequence *s, uint64_t track);
void perfetto_free_sequence(struct perfetto_sequence *s);
/* How many of the first values go with one event. */
unsigned perfetto_fit(const struct perfetto_value *values, unsigned n);

/* The counters of the next slice's values, at most PERFETTO_VALUES_MAX; it may have the first
 * `used` of them. Sent if that changes. */
void perfetto_set_counters(struct perfetto *p, struct perfetto_sequence *s,
	const struct perfetto_value *values, unsigned n, unsigned used);

/* Parts of an event, each at most once, in this order but for arguments. */
void perfetto_begin_event(
	struct perfetto *p, struct perfetto_sequence *s, enum perfetto_event_type type, int64_t t);
void perfetto_name(struct perfetto *p, struct perfetto_sequence *s, const char *name, size_t n);
/* Writes values of the counters that perfetto_set_counters set. */
void perfetto_values(struct perfetto *p, const struct perfetto_value *values, unsigned n);
void perfetto_argument_uint(
	struct perfetto *p, struct perfetto_sequence *s, const char *name, size_t n, uint64_t v);
void perfetto_argument_int(
	struct perfetto *p, struct perfetto_sequence *s, const char *name, size_t n, int64_t v);
void perfetto_argument_double(
	struct perfetto *p, struct perfetto_sequence *s, const char *name, size_t n, double v);
void perfetto_argument_text(struct perfetto *p, struct perfetto_sequence *s, const char *name,
	size_t n, const char *v, size_t length);
/* A text that many events have: it is sent once. */
void perfetto_argument_word(struct perfetto *p, struct perfetto_sequence *s, const char *name,
	size_t n, const char *v, size_t length);
void perfetto_end_event(struct perfetto *p);

/* An event that ends the innermost slice. */
void perfetto_end_slice(struct perfetto *p, struct perfetto_sequence *s, int64_t t);
/*
 * Values by themselves, on a sequence for nothing else, which may start zeroed: it begins with its
 * first ones. Returns how many went.
 */
unsigned perfetto_count(struct perfetto *p, struct perfetto_sequence *s, int64_t t,
	const struct perfetto_value *values, unsigned n);

#endif
