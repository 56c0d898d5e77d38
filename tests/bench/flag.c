#include "flag.h"

#include "bench.h"

uint32_t bench_flag[1024] __attribute__((aligned(4096)));

void bench_flag_is_set(uint64_t turn)
{
	die("a flag that is never set is set at turn %llu", (unsigned long long)turn);
}
