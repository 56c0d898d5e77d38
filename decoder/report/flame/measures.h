/* CPI and time of a frame's intervals, summed in a compact form. */
#ifndef SWT_DECODER_REPORT_FLAME_MEASURES_H
#define SWT_DECODER_REPORT_FLAME_MEASURES_H

#include "../../base/pages.h"
#include "../../model/stats/ratio.h"
#include "../../sink/flame.h"
#include "../report.h"

/* The interval's weight, or NOT_MEASURED. */
uint64_t flame_weight(enum report_weight weight, const struct interval *iv);

/* An interval's part of its frame's sums: the first kind of CPI that it has. */
struct flame_part {
	enum flame_cpi kind;
	uint64_t above, below; /* NOT_MEASURED: only the ratio is known */
	double value;
	uint64_t elapsed; /* ticks */
	double elapsed_ns;
};

struct flame_part flame_part_of(const struct interval *iv);

/* How a frame's sums are stored: most frames need little. */
enum flame_form {
	FLAME_EMPTY,
	FLAME_TIME,   /* no CPI */
	FLAME_COUNTS, /* of one interval: above and below */
	FLAME_RATIOS, /* ratios without counts: weighted, and elapsed ticks */
	FLAME_SUMS,   /* mixed or too large for the others: the index of its flame_sums */
};

struct flame_measure {
	uint64_t time; /* as exact_time; or the index of the sums */
	uint64_t elapsed;
	union {
		struct {
			uint32_t above, below;
		};
		uint64_t weighted;
	};
};

/* Exact sums: the same in whatever order intervals are added. */
struct flame_sums {
	struct ratio cpi;  /* of the frame's kind */
	exact_sum elapsed; /* as exact_time */
};

/* Starts zeroed. */
struct flame_measures {
	struct pages at; /* struct flame_measure, of each frame */
	struct pages sums;
	size_t nsums;
};

/* Stored in the frame's node. Starts zeroed, as do its measures. */
struct flame_state {
	uint8_t kind; /* enum flame_cpi */
	uint8_t form; /* enum flame_form */
};

static inline struct flame_measure *flame_measure(const struct flame_measures *m, uint32_t frame)
{
	return (struct flame_measure *)m->at.at + frame;
}

/* Makes room for the next frame's. 0 or CPIDECODE_ENOMEM. */
static inline int flame_measures_room(struct flame_measures *m, uint32_t frame)
{
	return pages_room(&m->at, frame, sizeof(struct flame_measure));
}

/* Adds an interval of a frame that has room. 0 or CPIDECODE_ENOMEM. */
int flame_measures_add(struct flame_measures *m, uint32_t frame, struct flame_state *state,
	const struct flame_part *part);
/* The frame's sums, whatever their form. */
void flame_measures_get(const struct flame_measures *m, uint32_t frame, struct flame_state state,
	struct flame_sums *sums);
/* Adds a frame's sums from elsewhere, of that kind. 0 or CPIDECODE_ENOMEM. */
int flame_measures_merge(struct flame_measures *m, uint32_t frame, struct flame_state *state,
	enum flame_cpi kind, const struct flame_sums *from);
/* A prefetch hint. */
static inline void flame_measures_ask(const struct flame_measures *m, uint32_t frame)
{
	__builtin_prefetch(flame_measure(m, frame), 1);
}

/* NAN: not measured. */
double flame_measures_cpi(const struct flame_measures *m, uint32_t frame, struct flame_state state);
double flame_measures_ns(const struct flame_measures *m, uint32_t frame, struct flame_state state);
void flame_measures_free(struct flame_measures *m);

#endif
