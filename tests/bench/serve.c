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

#include "peers.h"

struct request {
	uint32_t op, ask;
	uint64_t amount;
};

struct reply {
	double value;
	uint64_t attempted;
	char why[160]; /* of ASK_OPEN: why not, or empty */
};

static struct server {
	pid_t pid;
	int to, from;
	uint64_t attempted;
} server[PLACES];

/* Both ends run this program, so structures can be sent as they are. */
static bool transferred(bool out, int fd, void *bytes, size_t n)
{
	return (out ? write(fd, bytes, n) : read(fd, bytes, n)) == (ssize_t)n;
}

static void transfer(bool out, int fd, void *bytes, size_t n)
{
	if (!transferred(out, fd, bytes, n))
		die("a measuring process is gone");
}

static void exec_server(
	int in, int out, const char *name, const char *value, int cpu, const char *table)
{
	char items[16], number[16];

	/* Move both out of the way first: either may be 3 or 4 already. */
	in = fcntl(in, F_DUPFD_CLOEXEC, 5);
	out = fcntl(out, F_DUPFD_CLOEXEC, 5);
	/* Standard output has the samples: a peer's library may print, too. */
	if (dup2(in, 3) < 0 || dup2(out, 4) < 0 || dup2(2, 1) < 0 || setenv(name, value, 1) != 0)
		die("%s", strerror(errno));
	snprintf(items, sizeof items, "%u", work_items);
	snprintf(number, sizeof number, "%d", cpu);
	execl("/proc/self/exe", "writer", "--serve", items, number, table, (char *)NULL);
	die("cannot start the benchmark again: %s", strerror(errno));
}

void server_start(enum place place, const char *name, const char *value, int cpu, const char *table)
{
	struct server *s = &server[place];
	int down[2], up[2];

	if (pipe2(down, O_CLOEXEC) != 0 || pipe2(up, O_CLOEXEC) != 0)
		die("pipe: %s", strerror(errno));
	s->pid = fork();
	if (s->pid < 0)
		die("fork: %s", strerror(errno));
	if (s->pid == 0)
		exec_server(down[0], up[1], name, value, cpu, table);
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

const char *server_open(enum place place, unsigned op)
{
	struct server *s = &server[place];
	struct request request = {op, ASK_OPEN, 0};
	static struct reply reply;

	transfer(true, s->to, &request, sizeof request);
	/* A library may end its process where it cannot measure. */
	if (!transferred(false, s->from, &reply, sizeof reply)) {
		close(s->to);
		close(s->from);
		waitpid(s->pid, NULL, 0);
		s->pid = 0;
		return "its library ended the process";
	}
	return *reply.why ? reply.why : NULL;
}

uint64_t server_attempted(enum place place)
{
	return server[place].attempted;
}

void servers_end(void)
{
	for (int place = 0; place < PLACES; place++) {
		int status;

		if (!server[place].pid)
			continue;
		close(server[place].to);
		close(server[place].from);
		if (waitpid(server[place].pid, &status, 0) < 0 || status != 0)
			die("a measuring process failed");
	}
}

static const struct op *find_table(const char *name, unsigned *count)
{
	const struct op *peer;

	if (strcmp(name, "hooks") == 0 || strcmp(name, "intervals") == 0) {
		*count = *name == 'h' ? our_op_count : interval_op_count;
		return *name == 'h' ? our_ops : interval_ops;
	}
	peer = peers_load(name, true);
	for (*count = 0; peer[*count].id; ++*count)
		;
	return peer;
}

static void serve_request(const struct op *op, const struct request *request)
{
	struct reply reply = {0};
	const char *why;

	if (request->ask == ASK_OPEN) {
		why = peers_open(op->place);
		snprintf(reply.why, sizeof reply.why, "%s", why ? why : "");
	} else {
		reply.value = measure(op, request->ask, request->amount);
	}
	reply.attempted = hooks_attempted();
	transfer(true, 4, &reply, sizeof reply);
}

int serve(int argc, char **arguments)
{
	struct request request;
	unsigned count;
	ssize_t n;

	if (argc != 3)
		die("--serve takes two numbers and which ops");

	unsetenv("LD_PRELOAD"); /* not for children of a peer's library */
	const struct op *own = find_table(arguments[2], &count);

	work_items = (unsigned)atoi(arguments[0]);
	pin(atoi(arguments[1]));
	while ((n = read(3, &request, sizeof request)) == (ssize_t)sizeof request) {
		if (request.op >= count)
			die("there is no op %u", request.op);
		serve_request(&own[request.op], &request);
	}
	peers_trailer();
	return n == 0 ? 0 : 1;
}
