/*
 * A reader of trace.bin that shares nothing with the writer but the offsets: checks every
 * checksum, unpacks every payload, and fails the test that it runs in.
 */
#ifndef TEST_SWTRACE_CMD_READER_H
#define TEST_SWTRACE_CMD_READER_H

#include <stddef.h>
#include <stdint.h>

struct seen {
	uint64_t offset;
	uint32_t type, codec, stored, raw, ring, hooks, lost, torn;
	uint64_t position, first, last;
	uint8_t *payload; /* unpacked */
};

extern uint8_t *file;
extern size_t file_size;
extern struct seen seen[64];
extern int sections;

void load(const char *path);
void parse(const char *path);
const struct seen *find(uint32_t type, int nth);
void reader_free(void);

#endif
