/*
 * Rings and a session that never were, for the dump's unit tests: the test says what each
 * look finds.
 */
#ifndef TEST_SWTRACE_CMD_FAKE_H
#define TEST_SWTRACE_CMD_FAKE_H

#include "../../libtrace/ring/reader.h"
#include "../../libtrace/session/keep.h"

enum { FAKE_RINGS = 10, FAKE_PARTS = 8 };

struct fake_part {
	uint64_t position, lost;
	uint8_t *bytes; /* well-formed records */
	uint32_t size, hooks, torn;
	uint64_t first, last;
	int copies_left; /* after so many copies it is overwritten; -1: never */
};

struct fake_ring {
	struct fake_part part[FAKE_PARTS];
	uint32_t parts;
	struct ring_ledger ledger;
};

extern struct fake_ring fake_ring[FAKE_RINGS];
extern struct shm_control fake_control;
extern struct session fake_session;
extern struct session_task fake_task[4];
extern int fake_tasks;
extern struct session_loss fake_loss[4]; /* by slot */
extern int fake_losses;			 /* or a PU_ code */
extern const char *fake_schema;
extern const char *fake_findings; /* NULL: none */
extern uint32_t fake_schemas_left_out;
extern uint32_t fake_sticky;
extern uint32_t fake_writer; /* whose number records get */

/* `rings` rings (the last one a guest's), sections of this size, nothing in them. */
void fake_reset(uint32_t rings, uint32_t section_size);
void fake_free(void);

/* A section in a ring, to which records are added; head moves along. */
struct fake_part *fake_add_part(uint32_t ring, uint64_t position);
void fake_add_hook(uint32_t ring, uint64_t stamp, uint32_t words);
/* Chooses the words of further add_hook calls: compressible or not. */
void fake_noise(bool on);
void fake_add_torn(uint32_t ring);

#endif
