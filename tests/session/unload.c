/*
 * unload THREADS: repeatedly loads the plugin $PLUGIN, which has libswtrace.a linked in, traces in
 * several threads and closes it; the threads run on, asleep and awake.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox.h"

enum { ROUNDS = 30, MAX_THREADS = 8 };

static const char *plugin;
static unsigned threads;
static int (*volatile trace)(void);
static pthread_barrier_t barrier;

static unsigned traced, closed;

/*
 * Avoids rescheduling between the thread's hooks and dlclose: the kernel would then read its rseq
 * sequence. Odd threads sleep over dlclose and wake after it; even ones run.
 */
static void *thread(void *arg)
{
	unsigned number = (unsigned)(uintptr_t)arg;

	for (unsigned i = 0; i < ROUNDS; i++) {
		pthread_barrier_wait(&barrier); /* the plugin is open */
		if (trace() != 0)
			die("no hooks");
		__atomic_fetch_add(&traced, 1, __ATOMIC_RELEASE);
		while (number % 2 == 0 && __atomic_load_n(&closed, __ATOMIC_ACQUIRE) == i)
			;
		pthread_barrier_wait(&barrier); /* the plugin is closed */
	}
	return NULL;
}

static unsigned mappings(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	unsigned n = 0;
	int c;

	while (f && (c = getc(f)) != EOF)
		n += c == '\n';
	if (f)
		fclose(f);
	return n;
}

static void run_unload(const void *arg)
{
	pthread_t id[MAX_THREADS];
	struct session box;
	struct account a;
	const struct timespec nap = {.tv_nsec = 1000000};
	unsigned before = 0;

	(void)arg;
	box_open(&box, SHM_MODE_WRAP, 1 << 20, 65536);
	pthread_barrier_init(&barrier, NULL, threads + 1);
	for (unsigned i = 0; i < threads; i++)
		pthread_create(&id[i], NULL, thread, (void *)(uintptr_t)i);
	for (unsigned i = 0; i < ROUNDS; i++) {
		void *handle = dlopen(plugin, RTLD_NOW | RTLD_LOCAL);

		if (!handle)
			die("%s", dlerror());
		trace = (int (*)(void))dlsym(handle, "plugin_trace");
		pthread_barrier_wait(&barrier);
		while (__atomic_load_n(&traced, __ATOMIC_ACQUIRE) < threads * (i + 1))
			;
		if (trace() != 0)
			die("no hooks");
		dlclose(handle);
		nanosleep(&nap, NULL);
		__atomic_store_n(&closed, i + 1, __ATOMIC_RELEASE);
		if (dlopen(plugin, RTLD_NOW | RTLD_NOLOAD))
			die("it is still there");
		if (i == 0)
			before = mappings();
		pthread_barrier_wait(&barrier);
		/* Fork would call handlers of the unloaded plugin. */
		pid_t pid = fork();
		if (pid == 0)
			_exit(0);
		waitpid(pid, NULL, 0);
	}
	for (unsigned i = 0; i < threads; i++)
		pthread_join(id[i], NULL);
	box_account(&box, &a, NULL, NULL);
	count_result(account_sum(&a) == (uint64_t)ROUNDS * (threads + 1) * 100 && a.damaged == 0,
		"hooks", "%llu", (unsigned long long)account_sum(&a));
	/* Only the control page stays mapped. */
	count_result(
		mappings() <= before + ROUNDS + 4, "mappings", "%u, then %u", before, mappings());
}

static int sandboxed_main(int argc, char **argv)
{
	plugin = getenv("PLUGIN");
	threads = argc == 2 ? (unsigned)atoi(argv[1]) - 1 : MAX_THREADS; /* the other threads */
	if (!plugin || threads >= MAX_THREADS)
		die("see the first lines of unload.c");
	scenario(run_unload, NULL);
	return results();
}

int main(int argc, char **argv)
{
	return sandbox_run(sandboxed_main, argc, argv, 60);
}
