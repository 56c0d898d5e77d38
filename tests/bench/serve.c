/*
 * Processes that measure on request. Ops that need another environment (no restartable sequences,
 * no session) so alternate with the others, on the same processor.
 */
#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct request {
	uint32_t op, ask;
	uint64_t amount;
};

struct reply {
	double value;
	uint64_t attempted;
};

static struct server {
	pid_t pid;
	int to, from;
	uint64_t attempted;
} server[NO_SESSION + 1];

/* Both ends run this program, so structures can be sent as they are. */
static void transfer(bool out, int fd, void *bytes, size_t n)
{
	ssize_t done = out ? write(fd, bytes, n) : read(fd, bytes, n);

	if (done != (ssize_t)n)
		die("a measuring process is gone");
}

static void become(int in, int out, const char *name, const char *value, int cpu, bool intervals)
{
	char items[16], number[16];

	/* Move both out of the way first: either may be 3 or 4 already. */
	in = fcntl(in, F_DUPFD_CLOEXEC, 5);
	out = fcntl(out, F_DUPFD_CLOEXEC, 5);
	if (dup2(in, 3) < 0 || dup2(out, 4) < 0 || setenv(name, value, 1) != 0)
		die("%s", strerror(errno));
	snprintf(items, sizeof items, "%u", work_items);
	snprintf(number, sizeof number, "%d", cpu);
	execl("/proc/self/exe", "writer", "--serve", items, number, intervals ? "i" : "",
		(char *)NULL);
	die("cannot start the benchmark again: %s", strerror(errno));
}

void server_start(enum place place, const char *name, const char *value, int cpu, bool intervals)
{
	struct server *s = &server[place];
	int down[2], up[2];

	if (pipe2(down, O_CLOEXEC) != 0 || pipe2(up, O_CLOEXEC) != 0)
		die("pipe: %s", strerror(errno));
	s->pid = fork();
	if (s->pid < 0)
		die("fork: %s", strerror(errno));
	if (s->pid == 0)
		become(down[0], up[1], name, value, cpu, intervals);
	close(down[0]);
	close(up[1]);
	s->to = down[1];
	s->from = up[0];
}

double server_ask(enum place place, unsigned op, enum ask ask, uint64_t amount)
{
	struct server *s = &server[place];
	struct request request = {op, ask, amount};
	struct reply reply;

	transfer(true, s->to, &request, sizeof request);
	transfer(false, s->from, &reply, sizeof reply);
	s->attempted = reply.attempted;
	return reply.value;
}

uint64_t server_attempted(enum place place)
{
	return server[place].attempted;
}

void servers_end(void)
{
	for (int place = 0; place <= NO_SESSION; place++) {
		int status;

		if (!server[place].pid)
			continue;
		close(server[place].to);
		close(server[place].from);
		if (waitpid(server[place].pid, &status, 0) < 0 || status != 0)
			die("a measuring process failed");
	}
}

int serve(int argc, char **arguments)
{
	struct request request;
	ssize_t n;

	if (argc != 3)
		die("--serve takes two numbers and which ops");

	bool intervals = *arguments[2] != 0;
	const struct op *own = intervals ? interval_ops : our_ops;
	unsigned count = intervals ? interval_op_count : our_op_count;

	work_items = (unsigned)atoi(arguments[0]);
	pin(atoi(arguments[1]));
	while ((n = read(3, &request, sizeof request)) == (ssize_t)sizeof request) {
		struct reply reply;

		if (request.op >= count)
			die("there is no op %u", request.op);
		reply.value = measure(&own[request.op], request.ask, request.amount);
		reply.attempted = hooks_attempted();
		transfer(true, 4, &reply, sizeof reply);
	}
	return n == 0 ? 0 : 1;
}
