/* A section's header. */
#ifndef SWT_DECODER_IO_NRM2_PART_H
#define SWT_DECODER_IO_NRM2_PART_H

#include "scan.h"

struct nrm2_part {
	uint64_t at, data, end; /* of the header, its data, and where they end */
	bool big, own;
	uint32_t cpu, ring, mode, type, lost;
	/* Writer and group of the next hooks in a section that swtrace wrote. */
	uint32_t tid;
	uint64_t group;
	bool grouped;
	uint8_t header[NRM2_HEADER_SIZE];
};

/* Returns 1 and *part if there is a section, 0 if not, or an error code. *why: the error, if
 * bytes follow. */
int nrm2_section_at(struct nrm2_scan *s, uint64_t at, struct nrm2_part *part, const char **why);

#endif
