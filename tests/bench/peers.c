#include "peers.h"

#include <dlfcn.h>
#include <stdio.h>

/* Small enough for the smallest ring. */
enum { TRAILER = 1000 };

static const struct peers *loaded[3];

static void wait_for(const struct peers *p)
{
	/* Until the session daemon has seen this process and enabled the tracepoints. */
	for (int i = 0; i < 1000 && !p->ready(); i++)
		sleep_ns(10000000);
	if (!p->ready())
		die("LTTng enabled no tracepoint within 10 s");
}

const struct op *peers_load(const char *module, bool intervals)
{
	static const struct op none;
	/* Never closed: its tracepoints stay registered. */
	void *handle = dlopen(module, RTLD_NOW);
	unsigned i = 0;

	if (!handle)
		die("%s", dlerror());
	while (i < sizeof loaded / sizeof *loaded && loaded[i])
		i++;
	if (i == sizeof loaded / sizeof *loaded)
		die("too many modules");

	const struct peers *p = loaded[i] = dlsym(handle, "bench_peers");

	if (!p)
		die("%s: there is no bench_peers in it", module);
	if (p->ready)
		wait_for(p);
	const struct op *ops = intervals ? p->interval_ops : p->ops;
	return ops ? ops : &none;
}

const char *peers_open(enum place place)
{
	return loaded[0]->open(place);
}

static void hit_tracepoints(const struct peers *p)
{
	if (!p->ready())
		die("LTTng turned tracepoints off or on during the run");
	p->hit(TRAILER);
	for (const char *const *event = p->events; *event; event++)
		printf("peer\t%s\t%d\n", *event, TRAILER);
}

void peers_trailer(void)
{
	for (unsigned i = 0; i < sizeof loaded / sizeof *loaded && loaded[i]; i++) {
		const char *failure = loaded[i]->check ? loaded[i]->check() : NULL;

		if (failure)
			die("%s", failure);
		if (loaded[i]->ready)
			hit_tracepoints(loaded[i]);
	}
}
