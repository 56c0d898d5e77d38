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
	void (*prepare)(void);	 /* brings the rings to the state that the operation finds */
	void (*operation)(void); /* runs in the child, stepped through */
	uint32_t hooks;		 /* hooks that it attempts */
	enum phase last;	 /* how it ends if it is not killed */
	uint32_t sequences;	 /* sequences that it runs */
	uint32_t ring_after;	 /* guest: it reaches ring 0 after so many locked ones */
	bool blocked;		 /* the others are blocked by live processes, not by the dead one */
};

extern const struct scene scenes[];
extern const uint32_t scene_count;

enum { OP_MAJOR = 0x52, SECTION = 4096, SECTIONS = 4 };

/* The session, and the ring that the operation writes to. */
extern struct session box;
extern uint32_t ring;
/* A live writer that holds what the scene needs held; 0: none. */
extern pid_t holder;
/* Writes checked hooks from this process, to that ring unless it is locked. */
void others(uint32_t hooks);
/* Whether a record of OP_MAJOR or of the CPI group has the operation's content. */
bool operation_is_whole(const uint8_t *record);

#endif
