/*
 * The CPI groups of an original file that are not complete yet. There each hook has a stamp of its
 * own, and only the thread's hook names the thread; in a trace.bin a group has one stamp and one
 * thread. So the hooks of a processor that can be one group wait until it is complete, and get its
 * first stamp and its thread.
 */
#ifndef SWT_DECODER_IO_NRM2_PENDING_H
#define SWT_DECODER_IO_NRM2_PENDING_H

#include "../../../formats/cpi_group.h"
#include "hook.h"

struct nrm2_group {
	struct buffer records;
	struct group_identity identity;
	uint64_t stamp;
	uint32_t tid; /* 0: not known yet */
	bool open;
};

/* A hook whose thread and stamp, its own or its group's, are known. 0 or a code. */
int nrm2_group_alone(struct nrm2_spool *s, const struct nrm2_hook *h, uint32_t tid, uint64_t stamp);
/* The next hook of the processor. *held: the bytes that all groups hold. 0 or a code. */
int nrm2_group_add(
	struct nrm2_spool *s, struct nrm2_group *g, const struct nrm2_hook *h, uint64_t *held);
/* Nothing more belongs to the group: its records go to those at hand. */
int nrm2_group_end(struct nrm2_spool *s, struct nrm2_group *g, uint64_t *held);

#endif
