/*
 * The scenes of kill_every_instruction: an operation, and the rings it finds.
 */
#ifndef SWT_TESTS_RING_KILL_STEPS_H
#define SWT_TESTS_RING_KILL_STEPS_H

#include "sandbox.h"

enum phase { NOTHING, TORN, WHOLE, LOST, NO_PHASE };

struct scene {
	const char *name;
	uint32_t mode;
	bool guest;
	void (*prepare)(void);	 /* brings the rings to where the operation finds them */
	void (*operation)(void); /* in the child, stepped through */
	uint32_t hooks;		 /* that it attempts */
	enum phase last;	 /* how it ends when nobody kills it */
	uint32_t sequences;	 /* that it goes through */
	uint32_t ring_after;	 /* guest: it comes to ring 0 after that many that are taken */
	bool blocked;		 /* what is in the others' way is not the dead's */
};

extern const struct scene scenes[];
extern const uint32_t scene_count;

enum { OP_MAJOR = 0x52, SECTION = 4096, SECTIONS = 4 };

/* The session, and the ring that the operation comes to. */
extern struct session box;
extern uint32_t ring;
/* A living writer that holds what a scene wants held; 0: none. */
extern pid_t holder;
/* Checked hooks of this process, on that ring unless it is taken. */
void others(uint32_t hooks);
/* Whether a record of OP_MAJOR or of the CPI group is what an operation writes. */
bool operation_is_whole(const uint8_t *record);

#endif
