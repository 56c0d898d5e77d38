/*
 * Named points of the write path where tests delay, stop or kill a writer. They compile to
 * nothing, but in a build of these files with SWTRACE_RING_POINTS, where each calls
 * ring_point(). No point is inside a restartable sequence.
 */
#ifndef SWT_RING_POINTS_H
#define SWT_RING_POINTS_H

enum ring_point {
	POINT_BEFORE_RESERVE, /* attached, off the fast path */
	POINT_BEFORE_SWITCH,  /* the record did not fit behind head */
	POINT_BEFORE_PAD,
	POINT_AFTER_PAD,
	POINT_BEFORE_LOOK,  /* head is a section's first byte */
	POINT_BEFORE_ENTER, /* the section was found free */
	POINT_ENTERED,
	POINT_BEFORE_SKIP,  /* the section was found held */
	POINT_BEFORE_COUNT, /* of a loss or a skip */
	POINT_GUEST_LOCKED,
	POINT_GUEST_BEFORE_HEAD,
	POINT_GUEST_BEFORE_UNLOCK,
	POINT_RESERVED,
	POINT_FILLED,
	POINT_COMMITTED,
	RING_POINTS,
};

#ifdef SWTRACE_RING_POINTS
void ring_point(enum ring_point point);
#define RING_POINT(point) ring_point(point)
#else
#define RING_POINT(point) ((void)0)
#endif

/* With SWTRACE_RING_STEPS, the work that a hook does on sections is reported too. */
#ifdef SWTRACE_RING_STEPS
void ring_steps(unsigned n);
#define RING_STEPS(n) ring_steps(n)
#else
#define RING_STEPS(n) ((void)0)
#endif

#endif
