#include "memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static struct rlimit before;
static bool is_limited;

const char *memory_parse(const char *text, uint64_t *bytes)
{
	static const char wrong[] = "it is a number of bytes with K, M or G (1024s), from 8M on, "
				    "like 512M";
	static const char units[] = "KMG";
	char *end;
	errno = 0;
	unsigned long long n = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || errno)
		return wrong;
	const char *unit = *end ? strchr(units, *end) : NULL;
	if (*end && (!unit || end[1]))
		return wrong;
	unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
	if (n > UINT64_MAX >> shift || n << shift < (uint64_t)MEMORY_LEAST_MIB << 20)
		return wrong;
	*bytes = n << shift;
	return NULL;
}

int memory_limit(uint64_t bytes)
{
	if (getrlimit(RLIMIT_DATA, &before))
		return -1;
	struct rlimit limit = before;
	if (limit.rlim_cur == RLIM_INFINITY || bytes < limit.rlim_cur)
		limit.rlim_cur = bytes;
	is_limited = !setrlimit(RLIMIT_DATA, &limit);
	return is_limited ? 0 : -1;
}

bool memory_lift(void)
{
	if (is_limited)
		setrlimit(RLIMIT_DATA, &before);
	return is_limited;
}
