#include "clock_back.h"

#include <stdio.h>
#include <unistd.h>

#include "../ring/layout.h"

enum { FIGURES = 2 };
_Static_assert(offsetof(struct shm_ring, clock_back_most) ==
		       offsetof(struct shm_ring, clock_back) + sizeof(uint64_t),
	"read together");

bool session_clock_back(const struct session *s, struct clock_back *back)
{
	const struct shm_geometry *g = &s->geometry;
	uint64_t figure[FIGURES];

	back->entries = back->most = 0;
	if (s->rings_fd < 0)
		return false;
	for (uint32_t i = 0; i < g->cpus + g->guests; i++) {
		off_t at = (off_t)(ring_offset(g, i) + offsetof(struct shm_ring, clock_back));

		if (pread(s->rings_fd, figure, sizeof figure, at) != (ssize_t)sizeof figure)
			return false;
		back->entries += figure[0];
		if (figure[1] > back->most)
			back->most = figure[1];
	}
	return true;
}

double clock_back_seconds(const struct clock_back *back, const struct shm_geometry *g)
{
	return (double)back->most / (double)g->ticks_per_second;
}

void clock_back_text(
	const struct clock_back *back, const struct shm_geometry *g, char *text, size_t size)
{
	snprintf(text, size, "found behind the stamps at %llu section entr%s, by %.3g s at most",
		(unsigned long long)back->entries, back->entries == 1 ? "y" : "ies",
		clock_back_seconds(back, g));
}
