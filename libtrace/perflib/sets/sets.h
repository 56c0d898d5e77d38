/*
 * The countersets of this machine. Each is a definition and its operations; what they need of
 * the kernel they read themselves. Their counters, and what each stands for: perflib(3).
 *
 * Errors in this room: ERROR_SUCCESS or an ERROR_ code of perflib.h.
 */
#ifndef SWT_PERFLIB_SETS_H
#define SWT_PERFLIB_SETS_H

#include "../counterset.h"

/* Ids of instances that stand for several. Others are the number of what they stand for: a
 * processor, a ring, a process. */
enum { INSTANCE_GROUP = 0x10000, INSTANCE_ALL = 0x20000 };

/* Who offers all of these. */
#define SETS_PROVIDER                                                                              \
	{                                                                                          \
		0x7d1c5a2e, 0x90b4, 0x4b0f,                                                        \
		{                                                                                  \
			0x8e, 0x37, 0x1f, 0x62, 0xd9, 0x4c, 0x05, 0xab                             \
		}                                                                                  \
	}
#define SETS_PROVIDER_NAME "SWTRACE"

extern const struct counterset processor_set, rings_set, cpi_set, process_set;

/* A counter that has no base, for anybody. */
#define COUNTER(column, kind, sum, title, text)                                                    \
	[column] = {.id = (column),                                                                \
		.type = (kind),                                                                    \
		.detail = PERF_DETAIL_NOVICE,                                                      \
		.base = PERF_NO_COUNTER,                                                           \
		.aggregate = (sum),                                                                \
		.name = (title),                                                                   \
		.help = (text)}

#endif
