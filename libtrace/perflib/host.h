/*
 * Finds the host that a caller names, and a counterset on it. Public functions with a `where` open
 * a host and call these.
 */
#ifndef SWT_PERFLIB_HOST_H
#define SWT_PERFLIB_HOST_H

#include "block.h"
#include "counterset.h"

/* *recorded: the host is a trace, whose samples can be read only once. */
uint32_t host_open(const char *where, struct host **host, bool *recorded);
void host_close(struct host *host);

/* ERROR_WMI_GUID_NOT_FOUND: there is no such counterset now. */
uint32_t host_find(struct host *host, const GUID *id, const struct counterset **set);

uint32_t host_enumerate(struct host *host, GUID *ids, uint32_t room, uint32_t *actual);
uint32_t host_registration(struct host *host, const GUID *id, PerfRegInfoType request,
	uint32_t counter, void *info, uint32_t bytes, uint32_t *actual);
uint32_t host_instances(
	struct host *host, const GUID *id, void *instances, uint32_t bytes, uint32_t *actual);

/* Appends a PERF_INSTANCE_HEADER block. */
void instance_put(struct block *b, const struct rows *rows, uint32_t row);

#endif
