#include "peers.h"

#include <dlfcn.h>
#include <stdio.h>

/* Small enough for the smallest ring. */
enum { TRAILER = 1000 };

static const struct peers *peers;

const struct op *peers_load(const char *module)
{
	/* Never closed: its tracepoints stay registered. */
	void *handle = dlopen(module, RTLD_NOW);

	if (!handle)
		die("%s", dlerror());
	peers = dlsym(handle, "bench_peers");
	if (!peers)
		die("%s: there is no bench_peers in it", module);
	/* Wait until the session daemon has seen this process and enabled the tracepoints. */
	for (int i = 0; i < 1000 && !peers->ready(); i++)
		sleep_ns(10000000);
	if (!peers->ready())
		die("LTTng enabled no tracepoint within 10 s");
	return peers->ops;
}

void peers_trailer(void)
{
	if (!peers->ready())
		die("LTTng turned tracepoints off or on during the run");
	peers->hit(TRAILER);
	for (const char *const *event = peers->events; *event; event++)
		printf("peer\t%s\t%d\n", *event, TRAILER);
}
