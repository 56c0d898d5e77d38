/*
 * Which host a caller means, and what is found there. Each public function of a `where` is one of
 * these with a host.
 */
#ifndef SWT_PERFLIB_HOST_H
#define SWT_PERFLIB_HOST_H

#include "block.h"
#include "counterset.h"

/* *recorded: it is a trace, whose samples are there once. */
uint32_t host_open(const char *where, struct host **host, bool *recorded);
void host_close(struct host *host);

/* ERROR_WMI_GUID_NOT_FOUND: not there now. */
uint32_t host_find(struct host *host, const GUID *id, const struct counterset **set);

uint32_t host_enumerate(struct host *host, GUID *ids, uint32_t room, uint32_t *actual);
uint32_t host_registration(struct host *host, const GUID *id, PerfRegInfoType request,
	uint32_t counter, void *info, uint32_t bytes, uint32_t *actual);
uint32_t host_instances(
	struct host *host, const GUID *id, void *instances, uint32_t bytes, uint32_t *actual);

/* A PERF_INSTANCE_HEADER block. */
void instance_put(struct block *b, const struct rows *rows, uint32_t row);

#endif
