/*
 * Light intervals, a case at a time: scope.sh runs each in a session and compares the intervals of
 * the trace. usage: scope_cases CASE
 */
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "swtrace.h"
#include "../lib/fork.h"

static void nested(void)
{
	SWTRACE_SCOPE("outer");
	for (int i = 0; i < 2; i++) {
		SWTRACE_SCOPE("inner");
		SwtraceBegin("begun");
		SwtraceEnd();
	}
}

static void early_return(int leave)
{
	SWTRACE_SCOPE("left early");
	if (leave)
		return;
	SWTRACE_SCOPE("not reached");
}

static void arguments(void)
{
	static char big[SWT_TEXT_MAX + 100];
	const char *none = NULL;
	char key[] = "k\"1";

	memset(big, 'x', sizeof big - 1);
	{
		SWTRACE_SCOPE("numbers", SWT_U64("u", UINT64_MAX), SWT_I64("i", INT64_MIN),
			SWT_F64("f", -0.5));
	}
	{
		SWTRACE_SCOPE("texts", SWT_STR("key", key), SWT_STR("null", none),
			SWT_BYTES("bytes", "a\nb", 3), SWT_STR("utf", "\xc3\xa9"));
		memset(key, '!', sizeof key - 1); /* copied when it began */
	}
	SwtraceBegin("begun", SWT_U64("u", 1), SWT_STR("key", "k"));
	SwtraceEnd();
	{
		SWTRACE_SCOPE("cut", SWT_STR("big", big));
	}
}

static void with_cpi(void)
{
	void *handle;

	CpiInit(CPI_TYPE_RAW, &handle);
	CpiStart(handle);
	{
		SWTRACE_SCOPE("in cpi");
	}
	CpiArg(handle, SWT_U64("n", 1), SWT_STR("s", "one"));
	CpiArg(handle, SWT_U64("n", 2));
	CpiGetAndTrace(handle, 1, CPI_TYPE_TRACE_SUMMARY, "cpi", NULL);
	{
		SWTRACE_SCOPE("around cpi");
		CpiStart(handle);
		CpiGetAndTrace(handle, 1, CPI_TYPE_TRACE_SUMMARY, "cpi", NULL);
	}
	CpiTerminate(handle);
}

static void unbalanced(void)
{
	SwtraceEnd();
	SwtraceBegin("one");
	SwtraceEnd();
	SwtraceEnd();
	SwtraceBegin("left open", SWT_U64("n", 1));
	{
		/* Ends an interval begun outside, whose arguments lie below. */
		SWTRACE_SCOPE("overlapping", SWT_STR("s", "text"));
		SwtraceEnd();
		SwtraceBegin("never ended", SWT_STR("s", "other"));
	}
	SWTRACE_SCOPE("after", SWT_STR("s", "mine"));
}

static jmp_buf back;

static void jump(void)
{
	SWTRACE_SCOPE("jumped over");
	SwtraceBegin("jumped over, too");
	SwtraceBegin("deeper", SWT_STR("s", "text"));
	longjmp(back, 1);
}

static void jumps(void)
{
	UINT32 depth;

	SwtraceBegin("around");
	depth = SwtraceDepth();
	if (!setjmp(back))
		jump();
	SwtraceUnwind(depth);
	SwtraceEnd();
}

static void *ends_inside(void *arg)
{
	(void)arg;
	SwtraceBegin("open at the thread's end", SWT_U64("n", 1));
	{
		SWTRACE_SCOPE("in the thread");
	}
	return NULL;
}

static void threads(void)
{
	for (int i = 0; i < 3; i++) {
		pthread_t t;

		pthread_create(&t, NULL, ends_inside, NULL);
		pthread_join(t, NULL);
	}
}

static void forks(void)
{
	SWTRACE_SCOPE("around the fork", SWT_U64("n", 1));
	SwtraceBegin("begun before the fork");
	pid_t pid = fork();

	if (pid == 0) {
		SwtraceEnd(); /* the parent's */
		SwtraceBegin("in the child");
		SwtraceEnd();
		return; /* ends the parent's scope in the child */
	}
	waitpid(pid, NULL, 0);
	SwtraceEnd();
}

static pid_t fork_inside(void)
{
	SWTRACE_SCOPE("usual");
	return fork();
}

/* Forks in an interval that began in the usual way: after those whose own cost is measured. */
static void forks_inside(void)
{
	int status = 0;
	pid_t pid;

	for (int i = 0; i < 40; i++) {
		SWTRACE_SCOPE("usual");
	}
	pid = fork_inside();
	if (pid == 0) {
		SWTRACE_SCOPE("usual");
		return;
	}
	if (waitpid(pid, &status, 0) != pid || status != 0)
		exit(1);
}

static void usual(void)
{
	SWTRACE_SCOPE("usual");
}

static void measure_as_orphan(void *handle, int hook_first)
{
	/* Attached, the child could take the paths that its parent took. */
	if (hook_first)
		TraceHook(1, 0, 0, 0);
	usual();
	SwtraceEnd(); /* the parent's */
	SwtraceBegin("in the child");
	SwtraceEnd();
	for (int i = 0; i < 3; i++) {
		CpiStart(handle);
		CpiGetAndTrace(handle, 1, CPI_TYPE_TRACE_SUMMARY, "child's", NULL);
	}
}

static void rest_as_orphan(void *handle)
{
	TraceOff();
	usual();
	CpiStart(handle);
	TraceOn();
}

static void wait_for(pid_t pid)
{
	int status = 0;

	if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
		exit(1);
}

static pid_t bear_inside(int way, void *handle)
{
	SWTRACE_SCOPE("around");
	SwtraceBegin("begun");
	CpiStart(handle);
	pid_t pid = fork_without_handlers(way % FORK_WAYS);

	if (pid == 0) {
		measure_as_orphan(handle, way / 2);
		return 0; /* ends the parent's scope in the child */
	}
	CpiGetAndTrace(handle, 1, CPI_TYPE_TRACE_SUMMARY, "parent's", NULL);
	SwtraceEnd();
	return pid;
}

static void orphans(void)
{
	void *handle;

	CpiInit(CPI_TYPE_ONTHREAD, &handle);
	for (int i = 0; i < 40; i++)
		usual();
	for (int way = 0; way < 4; way++) {
		pid_t pid = bear_inside(way, handle);

		if (pid == 0)
			syscall(SYS_exit_group, 0);
		wait_for(pid);
		usual();
		pid = fork_without_handlers(way % FORK_WAYS);
		if (pid == 0) {
			rest_as_orphan(handle);
			syscall(SYS_exit_group, 0);
		}
		wait_for(pid);
	}
	CpiTerminate(handle);
}

static void turned_off(void)
{
	SWTRACE_SCOPE("off meanwhile");
	SwtraceBegin("begun before");
	TraceOff();
	SwtraceBegin("while off");
	TraceOn();
	SwtraceEnd();
	SwtraceEnd();
	SwtraceBegin("whole");
	SwtraceEnd();
}

/* Pages of perf events that this process has mapped. */
static unsigned mapped_pages(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	char line[4096];
	unsigned n = 0;

	while (f && fgets(line, sizeof line, f))
		n += strstr(line, "[perf_event]") != NULL;
	if (f)
		fclose(f);
	return n;
}

static void rests(void)
{
	{
		SWTRACE_SCOPE("before");
	}
	printf("%u", mapped_pages());
	{
		SWTRACE_SCOPE("off meanwhile");
		TraceOff();
	}
	printf(" %u", mapped_pages());
	TraceOn();
	{
		SWTRACE_SCOPE("after");
	}
	printf(" %u", mapped_pages());
	/* None was open: the next begin or end closes the page. */
	TraceOff();
	{
		SWTRACE_SCOPE("while off");
	}
	printf(" %u", mapped_pages());
	TraceOn();
	SwtraceBegin("begun");
	SwtraceEnd();
	printf(" %u", mapped_pages());
	TraceOff();
	SwtraceBegin("begun while off");
	printf(" %u", mapped_pages());
	TraceOn();
	SwtraceBegin("begun again");
	SwtraceEnd();
	TraceOff();
	SwtraceEnd();
	printf(" %u\n", mapped_pages());
	TraceOn();
}

/* More of each form than are samples, and one around some. */
static void costs(void)
{
	for (int i = 0; i < 100; i++) {
		SWTRACE_SCOPE("plain");
	}
	for (int i = 0; i < 100; i++) {
		SWTRACE_SCOPE("with an argument", SWT_I64("i", i));
	}
	for (int i = 0; i < 100; i++) {
		SwtraceBegin("begun");
		SwtraceEnd();
	}
	for (int i = 0; i < 100; i++) {
		SwtraceBegin("begun with an argument", SWT_I64("i", i));
		SwtraceEnd();
	}
	SWTRACE_SCOPE("around");
	for (int i = 0; i < 10; i++) {
		SWTRACE_SCOPE("plain");
	}
}

static void handler(int signal)
{
	SWTRACE_SCOPE("in the handler", SWT_I64("signal", signal));
	SwtraceBegin("begun in the handler");
	SwtraceEnd();
}

static void signals(void)
{
	signal(SIGUSR1, handler);
	SWTRACE_SCOPE("around");
	raise(SIGUSR1);
}

static void labels(void)
{
	static char big[65536 + 2];
	char text[32];

	memset(big, 'b', 65536);
	SwtraceBegin(big); /* the longest that has a number */
	SwtraceEnd();
	big[65536] = 'b';
	SwtraceBegin(big); /* too long: left out */
	SwtraceEnd();
	SwtraceBegin("");
	SwtraceEnd();
	SwtraceBegin(NULL);
	SwtraceEnd();
	for (int i = 0; i < 3; i++) {
		snprintf(text, sizeof text, "made %d", i % 2);
		SwtraceBegin(text);
		memset(text, '!', sizeof text - 1);
		SwtraceEnd();
	}
}

static void deep(void)
{
	for (int i = 0; i < SWT_DEPTH_MAX + 10; i++)
		SwtraceBegin("deep");
	for (int i = 0; i < SWT_DEPTH_MAX + 10; i++)
		SwtraceEnd();
	SwtraceBegin("after");
	SwtraceEnd();
}

static void unloaded(const char *plugin)
{
	for (int i = 0; i < 2; i++) {
		void *object = dlopen(plugin, RTLD_NOW);
		void (*work)(void) =
			object ? (void (*)(void))(uintptr_t)dlsym(object, "work") : NULL;
		void (*leave_open)(void) =
			object ? (void (*)(void))(uintptr_t)dlsym(object, "leave_open") : NULL;

		if (!work || !leave_open) {
			fprintf(stderr, "%s\n", dlerror());
			exit(1);
		}
		work();
		leave_open();
		dlclose(object);
		SwtraceEnd();
	}
}

/* The page of the thread's switches no longer changes. */
static void stopped(void)
{
	{
		SWTRACE_SCOPE("before");
	}
	if (prctl(PR_TASK_PERF_EVENTS_DISABLE)) {
		perror("prctl");
		exit(1);
	}
	for (int i = 0; i < 2; i++) {
		SWTRACE_SCOPE("sleeps");
		usleep(5000);
	}
}

/* A first interval, and in it the first one with page faults, which need another page. */
static void *measures_faults(void *unused)
{
	SWTRACE_SCOPE("around");
	void *handle;

	if (CpiInit(CPI_TYPE_TRACE_QUALITY, &handle))
		exit(1);
	CpiStart(handle);
	usleep(2000);
	CpiGetAndTrace(handle, 1, 0, "faults", NULL);
	CpiTerminate(handle);
	return unused;
}

static void replaced(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, measures_faults, NULL);
	pthread_join(thread, NULL);
	SWTRACE_SCOPE("last");
}

/* Cancelled at the first system call that allows it, wherever that is. */
static void *cancelled_in_scope(void *unused)
{
	pthread_cancel(pthread_self());
	SwtraceBegin("cancelled", SWT_U64("n", 1));
	SwtraceEnd();
	return unused;
}

static void *cancelled_in_cpi(void *handle)
{
	pthread_cancel(pthread_self());
	CpiStart(handle);
	CpiGetAndTrace(handle, 1, 0, "cancelled", NULL);
	return NULL;
}

static void cancelled(void)
{
	pthread_t thread;
	void *handle;

	pthread_create(&thread, NULL, cancelled_in_scope, NULL);
	pthread_join(thread, NULL);
	if (CpiInit(CPI_TYPE_SCALED | CPI_TYPE_ONTHREAD | CPI_TYPE_TRACE_QUALITY, &handle))
		exit(1);
	for (int i = 0; i < 2; i++) {
		pthread_create(&thread, NULL, cancelled_in_cpi, handle);
		pthread_join(thread, NULL);
		CpiStart(handle);
		usleep(2000);
		CpiGetAndTrace(handle, 1, 0, "another thread's", NULL);
	}
	CpiTerminate(handle);
}

static void *ends_elsewhere(void *scope)
{
	SWTRACE_SCOPE("of the other thread", SWT_STR("s", "its own"));
	swtrace_scope_end_(scope);
	return NULL;
}

/* As a coroutine does that goes on in another thread. */
static void moved(void)
{
	static swtrace_label_ label = SWTRACE_LABEL_("moved");
	const SWT_ARG args[] = {SWT_STR("s", "of the first thread")};
	swtrace_scope_ scope = {0};
	pthread_t t;

	swtrace_scope_begin_(&scope, &label, 1, args);
	pthread_create(&t, NULL, ends_elsewhere, &scope);
	pthread_join(t, NULL);
}

/* As coroutines of one thread do: "early" and "late" do not nest. "late" covers what
 * "early" kept, and is open when "early" ends. */
static void coroutines(void)
{
	static swtrace_label_ labels[] = {SWTRACE_LABEL_("first"), SWTRACE_LABEL_("early"),
		SWTRACE_LABEL_("late"), SWTRACE_LABEL_("last")};
	const SWT_ARG one[] = {SWT_U64("a", 1)};
	const SWT_ARG three[] = {SWT_U64("a", 2), SWT_STR("b", "text"), SWT_U64("c", 3)};
	swtrace_scope_ first, early, late, last;

	swtrace_scope_begin_(&first, &labels[0], 1, one);
	swtrace_scope_begin_(&early, &labels[1], 1, one);
	swtrace_scope_end_(&first);
	swtrace_scope_begin_(&late, &labels[2], 3, three);
	swtrace_scope_end_(&early);
	swtrace_scope_begin_(&last, &labels[3], 1, one);
	swtrace_scope_end_(&last);
	swtrace_scope_end_(&late);
}

/* No file may grow: labels stay in the hooks. */
static void limited(void)
{
	const struct rlimit none = {0, 0};

	setrlimit(RLIMIT_FSIZE, &none);
	SwtraceBegin("without a number", SWT_U64("n", 1));
	SwtraceEnd();
}

static void fills(int depth)
{
	static char big[SWT_TEXT_MAX];

	memset(big, 'x', sizeof big);
	SWTRACE_SCOPE("fills", SWT_BYTES("big", big, sizeof big));
	if (depth)
		fills(depth - 1);
}

static void filled(void)
{
	fills(70);
	SWTRACE_SCOPE("after", SWT_U64("n", 1));
}

/* More than a ring of 1 MiB holds. */
static void laps(void)
{
	{
		SWTRACE_SCOPE("first");
	}
	for (int i = 0; i < 200000; i++) {
		SWTRACE_SCOPE("many");
	}
	{
		SWTRACE_SCOPE("first");
	}
}

/* Holds intervals open until it is killed. */
static void holds(void)
{
	void *handle, *ended;

	CpiInit(CPI_TYPE_RAW, &handle);
	CpiInit(CPI_TYPE_RAW, &ended);
	CpiSetTraceHookId(handle, 5, "named");
	CpiStart(handle);
	CpiStart(handle); /* instead of the first one */
	SwtraceBegin("outer");
	SWTRACE_SCOPE("inner", SWT_U64("n", 1));
	for (int i = 0; i < 3; i++) {
		SWTRACE_SCOPE("ended");
		CpiStart(ended);
		CpiGetAndTrace(ended, 1, CPI_TYPE_TRACE_SUMMARY, "got", NULL);
		CpiGetAndTrace(ended, 1, CPI_TYPE_TRACE_SUMMARY, "got", NULL);
	}
	SwtraceBegin("unwound");
	SwtraceUnwind(SwtraceDepth() - 1);
	CpiStart(ended);
	CpiTerminate(ended);
	CpiGetAndTrace(handle, 5, CPI_TYPE_TRACE_SUMMARY, "named", NULL);
	CpiStart(handle);
	puts("ready");
	fflush(stdout);
	pause();
}

static void go_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof set, &set)) {
		perror("scope_cases: sched_setaffinity");
		exit(1);
	}
}

static int find_cpu(const cpu_set_t *set, int from)
{
	while (from < CPU_SETSIZE && !CPU_ISSET(from, set))
		from++;
	return from;
}

/* Begins intervals on the first processor that it may use, and ends them on the second. */
static void moves(void)
{
	cpu_set_t set;
	void *handle;
	int first, second;

	if (sched_getaffinity(0, sizeof set, &set))
		exit(1);
	first = find_cpu(&set, 0);
	second = find_cpu(&set, first + 1);
	if (second >= CPU_SETSIZE)
		return;
	CpiInit(CPI_TYPE_RAW, &handle);
	/* Not each one: nothing stops another program from taking the processor. */
	for (int i = 0; i < 100; i++) {
		SWTRACE_SCOPE("stays");
	}
	go_to(first);
	SwtraceBegin("begun");
	{
		SWTRACE_SCOPE("moves", SWT_I64("first", first), SWT_I64("second", second));
		CpiStart(handle);
		go_to(second);
		CpiGetAndTrace(handle, 1, CPI_TYPE_TRACE_SUMMARY, "cpi", NULL);
		CpiGetAndTrace(
			handle, 1, CPI_TYPE_TRACE_SUMMARY | CPI_TYPE_TRACE_QUALITY, "again", NULL);
	}
	SwtraceEnd();
	{
		SWTRACE_SCOPE("returns");
		go_to(first);
		go_to(second);
	}
	CpiTerminate(handle);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} cases[] = {{"nested", nested}, {"arguments", arguments}, {"with_cpi", with_cpi},
		{"unbalanced", unbalanced}, {"jumps", jumps}, {"threads", threads},
		{"forks", forks}, {"forks_inside", forks_inside}, {"orphans", orphans},
		{"turned_off", turned_off}, {"rests", rests}, {"costs", costs},
		{"signals", signals}, {"labels", labels}, {"moved", moved},
		{"coroutines", coroutines}, {"limited", limited}, {"filled", filled},
		{"deep", deep}, {"laps", laps}, {"moves", moves}, {"holds", holds},
		{"stopped", stopped}, {"replaced", replaced}, {"cancelled", cancelled}};

	if (argc == 3 && !strcmp(argv[1], "unloaded")) {
		unloaded(argv[2]);
		return 0;
	}
	if (argc == 2 && !strcmp(argv[1], "early_return")) {
		early_return(1);
		return 0;
	}
	for (size_t i = 0; argc == 2 && i < sizeof cases / sizeof *cases; i++) {
		if (!strcmp(argv[1], cases[i].name)) {
			cases[i].run();
			return 0;
		}
	}
	fprintf(stderr, "usage: scope_cases CASE\n");
	return 2;
}
