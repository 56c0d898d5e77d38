/*
 * Work of a known amount, for the tests of `swtrace stat`.
 */
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A page fault each: none of them is huge. */
static void touch_pages(size_t pages)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	char *p;

	if (pages == 0)
		return;
	p = mmap(NULL, pages * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		exit(1);
	madvise(p, pages * size, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < pages; i++)
		*(volatile char *)(p + i * size) = 1;
}

static void *thread(void *pages)
{
	touch_pages((size_t)(uintptr_t)pages);
	return NULL;
}

static void in_threads(unsigned count, size_t pages)
{
	for (unsigned i = 0; i < count; i++) {
		pthread_t t;

		if (pthread_create(&t, NULL, thread, (void *)(uintptr_t)pages) ||
			pthread_join(t, NULL))
			exit(1);
	}
}

static void in_children(unsigned count, size_t pages)
{
	for (unsigned i = 0; i < count; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			touch_pages(pages);
			_exit(0);
		}
		if (pid < 0 || waitpid(pid, NULL, 0) != pid)
			exit(1);
	}
}

static void sleep_often(unsigned count)
{
	const struct timespec t = {.tv_nsec = 1000000};

	for (unsigned i = 0; i < count; i++)
		nanosleep(&t, NULL);
}

static long long accounts_us(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (long long)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000 + u.ru_utime.tv_usec +
	       u.ru_stime.tv_usec;
}

/* Prints what the kernel's accounts say it took: since here, as a process has a time before it
 * becomes the program. */
static void spin(unsigned ms)
{
	long long began = accounts_us(), now;

	do
		now = accounts_us();
	while (now - began < ms * 1000ll);
	printf("%lld\n", now - began);
}

/* Two instructions a turn. */
static void loop(unsigned long turns)
{
#if defined(__x86_64__)
	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(turns) : : "cc");
#elif defined(__aarch64__)
	__asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(turns) : : "cc");
#else
#error "a loop of two instructions is missing for this processor"
#endif
}

static bool work_on(const char *what, unsigned long n, unsigned long m);

static void *wait_for_ever(void *arg)
{
	for (;;)
		pause();
	return arg;
}

/* Executes commands from standard input until its end. A second thread waits all the time. */
static void follow_commands(void)
{
	char line[80], what[20];
	pthread_t t;

	if (pthread_create(&t, NULL, wait_for_ever, NULL))
		exit(1);
	printf("ready\n");
	fflush(stdout);
	while (fgets(line, sizeof line, stdin)) {
		unsigned long n = 0, m = 0;

		if (sscanf(line, "%19s %lu %lu", what, &n, &m) < 1 || !work_on(what, n, m))
			exit(1);
		printf("done\n");
		fflush(stdout);
	}
}

static bool work_on(const char *what, unsigned long n, unsigned long m)
{
	if (strcmp(what, "pages") == 0)
		touch_pages(n);
	else if (strcmp(what, "threads") == 0)
		in_threads((unsigned)n, m);
	else if (strcmp(what, "children") == 0)
		in_children((unsigned)n, m);
	else if (strcmp(what, "sleeps") == 0)
		sleep_often((unsigned)n);
	else if (strcmp(what, "spin") == 0)
		spin((unsigned)n);
	else if (strcmp(what, "loop") == 0)
		loop(n);
	else if (strcmp(what, "obey") == 0)
		follow_commands();
	else
		return false;
	return true;
}

int main(int argc, char **argv)
{
	unsigned long n = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	unsigned long m = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;

	return argc > 1 && work_on(argv[1], n, m) ? 0 : 2;
}
