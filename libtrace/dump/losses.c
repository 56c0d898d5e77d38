#include "losses.h"

#include <stddef.h>
#include <string.h>

#include "../../formats/bytes.h"
#include "../../formats/trace_file.h"

struct column {
	uint8_t offset, cause;
};

static const struct column columns[] = {{TF_LOSS_FULL, SHM_LOST_FULL}, {TF_LOSS_BIG, SHM_LOST_BIG},
	{TF_LOSS_HELD, SHM_LOST_HELD}, {TF_LOSS_NO_GUEST, SHM_LOST_NO_GUEST},
	{TF_LOSS_SKIPPED, SHM_SKIPPED}};

static const struct column causes[] = {{TF_CAUSES_NO_SLOT, SHM_LOST_NO_SLOT},
	{TF_CAUSES_NO_MEMORY, SHM_LOST_NO_MEMORY}, {TF_CAUSES_UNATTACHED, SHM_LOST_UNATTACHED}};

bool losses_have_causes(const uint64_t loss[SHM_LOSSES])
{
	for (size_t k = 0; k < sizeof causes / sizeof *causes; k++)
		if (loss[causes[k].cause])
			return true;
	return false;
}

void losses_put(uint8_t *entry, uint32_t ring, const uint64_t loss[SHM_LOSSES])
{
	memset(entry, 0, TF_LOSS_SIZE);
	put_le32(entry + TF_LOSS_RING, ring);
	for (size_t k = 0; k < sizeof columns / sizeof *columns; k++)
		put_le64(entry + columns[k].offset, loss[columns[k].cause]);
}

void losses_put_causes(
	uint8_t *entry, uint32_t ring, const uint64_t loss[SHM_LOSSES], uint64_t unwritten)
{
	memset(entry, 0, TF_CAUSES_SIZE);
	put_le32(entry + TF_CAUSES_RING, ring);
	for (size_t k = 0; k < sizeof causes / sizeof *causes; k++)
		put_le64(entry + causes[k].offset, loss[causes[k].cause]);
	put_le64(entry + TF_CAUSES_UNWRITTEN, unwritten);
}
