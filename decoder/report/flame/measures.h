/* What the intervals of a frame say of its CPI and its time, in little room for each frame. */
#ifndef SWT_DECODER_REPORT_FLAME_MEASURES_H
#define SWT_DECODER_REPORT_FLAME_MEASURES_H

#include "../../base/pages.h"
#include "../../model/stats/ratio.h"
#include "../../sink/flame.h"
#include "../report.h"

/* What an interval weighs; NOT_MEASURED: unknown. */
uint64_t flame_weight(enum report_weight weight, const struct interval *iv);

/* What an interval adds to its frame's sums: the first kind of CPI that it has. */
struct flame_part {
	enum flame_cpi kind;
	uint64_t above, below; /* NOT_MEASURED: the ratio is all there is */
	double value;
	uint64_t elapsed; /* ticks */
	double elapsed_ns;
};

struct flame_part flame_part_of(const struct interval *iv);

/* How a frame's sums are kept: what most frames need is small. */
enum flame_form {
	FLAME_EMPTY,
	FLAME_TIME,   /* no CPI */
	FLAME_COUNTS, /* of one interval: above and below */
	FLAME_RATIOS, /* no counts: weighted, and elapsed ticks */
	FLAME_SUMS,   /* anything, or too much for those: the number of its flame_sums */
};

struct flame_measure {
	uint64_t time; /* as exact_time; or the number of the sums */
	uint64_t elapsed;
	union {
		struct {
			uint32_t above, below;
		};
		uint64_t weighted;
	};
};

/* The same in whatever order intervals are added. */
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

/* Of a frame; they start as 0, and so do its measures. */
struct flame_state {
	uint8_t kind; /* enum flame_cpi */
	uint8_t form; /* enum flame_form */
};

static inline struct flame_measure *flame_measure(const struct flame_measures *m, uint32_t frame)
{
	return (struct flame_measure *)m->at.at + frame;
}

/* Room for those of that frame, which is the next one. 0 or CPIDECODE_ENOMEM. */
static inline int flame_measures_room(struct flame_measures *m, uint32_t frame)
{
	return pages_room(&m->at, frame, sizeof(struct flame_measure));
}

/* Another interval of that frame, for which there is room. 0 or CPIDECODE_ENOMEM. */
int flame_measures_add(struct flame_measures *m, uint32_t frame, struct flame_state *state,
	const struct flame_part *part);
/* A hint. */
static inline void flame_measures_ask(const struct flame_measures *m, uint32_t frame)
{
	__builtin_prefetch(flame_measure(m, frame), 1);
}

/* NAN: not measured. */
double flame_measures_cpi(const struct flame_measures *m, uint32_t frame, struct flame_state state);
double flame_measures_ns(const struct flame_measures *m, uint32_t frame, struct flame_state state);
void flame_measures_free(struct flame_measures *m);

#endif
