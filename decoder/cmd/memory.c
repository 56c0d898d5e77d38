#include "memory.h"

#include <stddef.h>
#include <sys/resource.h>

#include "../../formats/base/quantity.h"

static struct rlimit data_limit_before;
static bool is_limited;

const char *memory_parse(const char *text, uint64_t *bytes)
{
	static const char wrong[] =
		"expected a number of bytes with K, M or G (1024s), from 8M on, like 512M";

	return quantity_parse_size(text, 0, UINT64_MAX, bytes) &&
			       *bytes >= (uint64_t)MEMORY_LEAST_MIB << 20
		       ? NULL
		       : wrong;
}

int memory_limit(uint64_t bytes)
{
	if (getrlimit(RLIMIT_DATA, &data_limit_before))
		return -1;
	struct rlimit limit = data_limit_before;
	if (limit.rlim_cur == RLIM_INFINITY || bytes < limit.rlim_cur)
		limit.rlim_cur = bytes;
	is_limited = !setrlimit(RLIMIT_DATA, &limit);
	return is_limited ? 0 : -1;
}

bool memory_lift(void)
{
	if (is_limited)
		setrlimit(RLIMIT_DATA, &data_limit_before);
	return is_limited;
}
