/*
 * A ring's losses as entries of LOSS and CAUSES sections (formats/trace-file.md).
 */
#ifndef SWT_DUMP_LOSSES_H
#define SWT_DUMP_LOSSES_H

#include <stdbool.h>
#include <stdint.h>

#include "../../formats/session.h"

/* Whether there are losses that LOSS has no field for. */
bool losses_have_causes(const uint64_t loss[SHM_LOSSES]);

/* An entry of LOSS, TF_LOSS_SIZE bytes: its losses; overwritten and torn are left at 0. */
void losses_put(uint8_t *entry, uint32_t ring, const uint64_t loss[SHM_LOSSES]);

/* An entry of CAUSES, TF_CAUSES_SIZE bytes. unwritten: by a drain. */
void losses_put_causes(
	uint8_t *entry, uint32_t ring, const uint64_t loss[SHM_LOSSES], uint64_t unwritten);

#endif
