#include "stream.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "../../formats/base/temporary.h"
#include "../../formats/base/threads.h"
#include "../../formats/base/time_ns.h"
#include "../../formats/trace_file.h"
#include "../../include/cpidecode.h"
#include "../base/whole_io.h"
#include "nrm2/convert.h"

enum {
	STREAM_CHUNK = 1 << 20,
	STREAM_READ = 256 << 10, /* stays in a processor's cache until it is written */
	STREAM_PROGRESS_MS = 200,
	STREAM_STACK_BYTES = 256 << 10,
};

/*
 * Copies what is left of a stream on a thread of its own, so that its reader decodes meanwhile, and
 * the stream's writer waits for no decoding. The members of struct io_stream are the thread's until
 * it has ended.
 */
struct stream_copier {
	struct io_stream *stream;
	pthread_t id;
	int stop; /* an event: the thread ends, also while it waits for input */
	pthread_mutex_t lock;
	pthread_cond_t moved;
	/* Protected by the lock: */
	uint64_t copied, wanted;
	bool has_ended;
	int rc, error; /* of the copy, with its errno */
};

/* Whether to try again after the error; waits for input if there is none yet. */
static bool stream_is_passing(int fd, int error)
{
	if (error == EAGAIN || error == EWOULDBLOCK) {
		struct pollfd p = {.fd = fd, .events = POLLIN};

		poll(&p, 1, -1);
		return true;
	}
	return error == EINTR;
}

static ssize_t stream_read_some(int fd, void *buf, size_t n)
{
	ssize_t got;

	do
		got = read(fd, buf, n);
	while (got < 0 && stream_is_passing(fd, errno));
	return got;
}

/*
 * Copies up to a buffer of it. once: not more than one read returns, which waits for no more than
 * there is. Through user memory: splice would hold the pipe's lock while it writes to the file, and
 * the writer would wait.
 */
static int stream_copy(struct io_stream *s, bool once)
{
	size_t have = 0; /* a read from a pipe returns little */
	bool end = false;

	while (have < STREAM_READ && !end && !(once && have)) {
		ssize_t got = stream_read_some(s->from, s->buf + have, STREAM_READ - have);

		if (got < 0)
			return CPIDECODE_EREAD;
		end = got == 0;
		have += (size_t)got;
	}
	/* Checks the first bytes: an endless stream that is no trace must not fill the disk. */
	if (s->copied == 0 && have >= 8 && memcmp(s->buf, TF_MAGIC, 8) != 0 &&
		!nrm2_is(s->buf, have))
		return CPIDECODE_ENOTTRACE;
	if (whole_write(s->to, s->buf, have, WHOLE_APPEND))
		return CPIDECODE_ESPOOL;
	s->copied += have;
	s->has_ended = end;
	return 0;
}

/* ------------------------------------------------------------------------------- the thread */

/* False: the thread is to end. */
static bool copier_wait_input(const struct stream_copier *c)
{
	struct pollfd p[] = {
		{.fd = c->stream->from, .events = POLLIN}, {.fd = c->stop, .events = POLLIN}};

	while (poll(p, 2, -1) < 0)
		if (errno != EINTR)
			return true;
	return !p[1].revents;
}

static void copier_publish(struct stream_copier *c, int rc, int error)
{
	pthread_mutex_lock(&c->lock);
	c->copied = c->stream->copied;
	c->has_ended = c->stream->has_ended;
	c->rc = rc;
	c->error = error;
	if (c->copied >= c->wanted || c->has_ended || rc)
		pthread_cond_signal(&c->moved);
	pthread_mutex_unlock(&c->lock);
}

static void *copier_run(void *arg)
{
	struct stream_copier *c = arg;
	int rc = 0;

	while (!rc && !c->stream->has_ended && copier_wait_input(c)) {
		rc = stream_copy(c->stream, true);
		copier_publish(c, rc, errno);
	}
	return NULL;
}

static void copier_free(struct stream_copier *c)
{
	if (c->stop >= 0)
		close(c->stop);
	pthread_cond_destroy(&c->moved);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

/* Without a thread the reader goes on copying. */
static void copier_start(struct io_stream *s)
{
	struct stream_copier *c = calloc(1, sizeof *c);
	pthread_condattr_t attr;

	s->has_tried_copier = true;
	if (!c)
		return;
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->moved, &attr);
	pthread_condattr_destroy(&attr);
	c->stream = s;
	c->copied = s->copied;
	c->stop = eventfd(0, EFD_CLOEXEC);
	if (c->stop >= 0 && !thread_start(&c->id, STREAM_STACK_BYTES, copier_run, c))
		s->copier = c;
	else
		copier_free(c);
}

/* The stream is the reader's again. */
static void copier_end(struct io_stream *s)
{
	struct stream_copier *c = s->copier;

	if (!c)
		return;
	eventfd_write(c->stop, 1);
	pthread_join(c->id, NULL);
	s->copier = NULL;
	copier_free(c);
}

/* Waits until the bytes before end are there, or all, or for some time if there is progress to
 * report. Returns the copy's code. */
static int copier_await(struct io_input *in, uint64_t end, bool *has_ended)
{
	struct stream_copier *c = in->stream.copier;
	const struct timespec until =
		time_of_ns(time_ns_monotonic() + STREAM_PROGRESS_MS * TIME_MS_NS);
	int late = 0;

	pthread_mutex_lock(&c->lock);
	c->wanted = end;
	while (c->copied < end && !c->has_ended && !c->rc && !late) {
		if (in->stream.progress)
			late = pthread_cond_timedwait(&c->moved, &c->lock, &until);
		else
			pthread_cond_wait(&c->moved, &c->lock);
	}
	in->size = c->copied;
	/* Told to who waits for more, so that what is arriving does not depend on speed. */
	*has_ended = c->has_ended && c->copied < end;
	const int rc = c->rc, error = c->error;
	pthread_mutex_unlock(&c->lock);
	if (rc)
		errno = error;
	return rc;
}

/* ------------------------------------------------------------------------------- the input */

void stream_end(struct io_input *in)
{
	int saved = errno;

	copier_end(&in->stream);
	if (in->arriving && in->stream.own_from)
		close(in->stream.from);
	free(in->stream.buf);
	in->stream.buf = NULL;
	in->arriving = false;
	errno = saved;
}

int stream_begin(struct io_input *in, int from, io_progress_fn progress, void *ctx)
{
	int to = temporary_open_unnamed();

	if (to < 0)
		return CPIDECODE_ESPOOL;
	in->fd = to;
	in->own_fd = true;
	in->arriving = true;
	in->stream = (struct io_stream){.from = from,
		.to = to,
		.buf = malloc(STREAM_READ),
		.progress = progress,
		.progress_ctx = ctx};
	/* Enlarges the pipe to cut wake-ups. Fails harmlessly if the input is not a pipe. */
	fcntl(from, F_SETPIPE_SZ, STREAM_CHUNK);
	return in->stream.buf ? 0 : CPIDECODE_ENOMEM;
}

/* The reader copies the first bytes, which are all of a small stream. */
static int stream_await_some(struct io_input *in, uint64_t end)
{
	struct io_stream *s = &in->stream;
	bool has_ended;
	int rc;

	if (!s->has_tried_copier && s->copied)
		copier_start(s);
	if (s->copier) {
		rc = copier_await(in, end, &has_ended);
	} else {
		rc = stream_copy(s, false);
		in->size = s->copied;
		has_ended = s->has_ended;
	}
	if (has_ended)
		stream_end(in);
	return rc;
}

int io_await(struct io_input *in, uint64_t end)
{
	const struct io_stream *s = &in->stream;
	int rc = 0;

	while (!rc && in->arriving && in->size < end) {
		rc = stream_await_some(in, end);
		if (!rc && s->progress && !s->progress(s->progress_ctx, in->size, 0))
			rc = CPIDECODE_ECANCELED;
	}
	return rc;
}

bool io_is_arriving(const struct io_input *in)
{
	return in->arriving;
}
