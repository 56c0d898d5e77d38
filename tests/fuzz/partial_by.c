#include "partial_by.h"

#include <stdlib.h>

#include "../../decoder/report/query/by.h"

struct by *partial_by(enum partial_keys keys)
{
	static struct by by;
	char expected[BY_EXPECTED];
	size_t at;

	if (keys == KEYS_NONE)
		return NULL;
	if (!by_parse(&by, keys == KEYS_TIME ? "tid,time:1us" : "host,tid,label,task,minor,cpu",
		    &at, expected))
		abort();
	return &by;
}
