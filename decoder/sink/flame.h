/* Flame graphs as input of the sinks: trees of frames. */
#ifndef SWT_DECODER_FLAME_H
#define SWT_DECODER_FLAME_H

#include "out.h"

/*
 * A frame of folded lines, in an array: the root first, children of one parent linked in the
 * order of their names. Kept small: there may be as many as intervals.
 */
struct flame_stack {
	const char *name; /* name_len bytes, escaped by escape_frame */
	uint64_t self;
	uint32_t name_len;
	uint32_t first_child, next; /* 0: none */
	bool has_value;		    /* self was measured for at least one interval */
};

/* The most frames in a line. Bounds the length of lines. */
enum { FOLDED_DEPTH = 1024 };

/*
 * Writes sorted lines `a;b;c value`. The value of a frame at the greatest depth includes the
 * frames nested in it; *cut counts those. 0, or -1: no memory.
 */
int flame_folded(struct out *o, const struct flame_stack *frames, uint64_t *cut);

enum flame_kind {
	FLAME_ROOT,
	FLAME_PROCESS,
	FLAME_TASK, /* a thread */
	FLAME_INTERVAL,
};

/*
 * The kinds of colour of a frame, in order of preference: the first measured kind counts. In a
 * picture with CPIs a share of time off the processors has no colour.
 */
enum flame_cpi {
	FLAME_CPI_NONE,
	FLAME_CPI_THREAD,
	FLAME_CPI_SCALED,
	FLAME_CPI_RAW,
	FLAME_OFF_CPU, /* no CPI: the share of the time that the thread was on no processor */
};

/* A frame that a picture shows. */
struct flame_frame {
	const char *name; /* name_len bytes, any bytes; equal names may be stored once */
	uint32_t name_len;
	uint32_t parent;
	uint32_t first_child, next; /* 0: none; the root has no parent */
	uint32_t depth;
	enum flame_kind kind : 8;
	enum flame_cpi cpi_kind : 8;
	uint64_t self, total;
	uint64_t left;	 /* weight left of it */
	uint64_t count;	 /* intervals of this frame itself */
	uint64_t within; /* with those of the frames on it */
	double cpi;	 /* of its kind; NAN: not measured */
	double elapsed_ns;
	uint64_t before; /* of a differential graph: its total in the runs before */
};

/* The data of a differential graph: self, total, left and counts are of the runs after. */
struct flame_change {
	unsigned runs[2];	 /* before, after: sums are of so many */
	const char *commands[2]; /* NULL: unknown, or several */
	uint64_t gone_self;	 /* weight before of frames without intervals after, */
	uint32_t gone;		 /* and their number */
};

/* The CPIs of all frames, including hidden ones. */
struct flame_cpis {
	double low, high; /* of CPIs above 0; high 0: none */
	unsigned kinds;	  /* bits of enum flame_cpi */
	bool unmeasured;  /* some frame's CPI */
};

/*
 * A picture: the root first, each frame after its parent, children of one parent in the order of
 * their names.
 */
struct flame {
	struct flame_frame *frames;
	uint32_t count;
	uint32_t left_out; /* frames too narrow or too deep to be shown */
	struct flame_cpis cpis;
	const char *unit;    /* "cycles", "ns", "instructions" */
	const char *weight;  /* the meaning of the widths, in words */
	const char *host;    /* NULL: unknown */
	const char *range;   /* time range, to display */
	const char *command; /* that was recorded; NULL: unknown, or several */
	uint64_t lost;	     /* hooks lost or torn: intervals may be missing */
	bool scripted;
	const struct flame_change *change; /* NULL: not a differential graph. Else without range */
};

enum { FLAME_MAX_ROWS = 400 }; /* deeper frames would be off any screen */

/* The least weight of a frame that the picture shows, of `all`. */
uint64_t flame_least(uint64_t all);
/* A self-contained interactive picture. */
void flame_svg(struct out *o, const struct flame *f);
/* A differential one as a page (page.h). */
void flame_change_page(struct out *o, const struct flame *f);

#endif
