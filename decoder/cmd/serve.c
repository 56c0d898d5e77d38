#include "serve.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../formats/base/number.h"
#include "../../formats/base/signals.h"
#include "../../formats/base/temporary.h"
#include "../../formats/base/text.h"
#include "../../formats/base/time_ns.h"
#include "../sink/json.h"

enum {
	SERVE_CLIENTS = 32, /* at a time; more wait for those that are answered */
	SERVE_REQUEST_MAX = 8192,
	SERVE_TOKEN_BYTES = 16,
	SERVE_PIECE = 1 << 20,
	SERVE_REQUEST_MS = 10000, /* for a request to arrive */
	SERVE_STALL_MS = 60000,	  /* for a client that does not read */
	SERVE_DRAIN_MS = 2000,
	SERVE_MAKER_MS = 100, /* between checks of the makers */
	SERVE_SPANS = 4,      /* being made at a time */
};

enum client_state {
	CLIENT_READS,  /* its request */
	CLIENT_WAITS,  /* for the page of a span */
	CLIENT_SENDS,  /* the answer, to it */
	CLIENT_DRAINS, /* A close with unread bytes would reset the connection and lose the answer.
			*/
};

struct client {
	int fd;
	enum client_state state;
	int64_t deadline; /* ms, CLOCK_MONOTONIC */
	size_t got, head, sent;
	int file;
	off_t at, end; /* of the file */
	pid_t maker;   /* of a span's page; 0: none */
	int own;       /* the file of that page; -1: none */
	bool is_head;  /* the request for it */
	char request[SERVE_REQUEST_MAX + 1];
	char answer[1024];
};

/* A served file, or a text. name: its path relative to the page's. */
struct resource {
	const char *name, *type;
	int fd; /* -1: none */
	uint64_t size;
	const char *text; /* NULL: the answer's status */
};

/* Bytes [from, to) of a file. !is_given: all of the file. */
struct serve_range {
	bool is_given, is_wrong;
	uint64_t from, to;
};

enum { SERVE_PAGE, SERVE_TILES, SERVE_STATE, SERVE_RESOURCES };

struct server {
	int listener;
	const struct serve_files *files;
	pid_t maker; /* 0: none, or it has ended */
	int failed;  /* its status */
	struct out state;
	struct resource resources[SERVE_RESOURCES];
	char host[32];	 /* 127.0.0.1:PORT */
	char origin[40]; /* http://HOST */
	char path[2 * SERVE_TOKEN_BYTES + 3];
	struct client clients[SERVE_CLIENTS];
	size_t nclients;
};

static const char serve_page_type[] = "text/html; charset=utf-8";

/* An answer without a file. */
static const struct resource serve_no_resource = {.type = "text/plain; charset=utf-8", .fd = -1};

static volatile sig_atomic_t serve_ends;

static void serve_on_signal(int number)
{
	(void)number;
	serve_ends = 1;
}

static int64_t serve_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / (long)TIME_MS_NS;
}

static void serve_end_maker(pid_t maker)
{
	kill(maker, SIGKILL);
	while (waitpid(maker, NULL, 0) < 0 && errno == EINTR)
		;
}

static int serve_listen(struct server *s, uint16_t port)
{
	struct sockaddr_in at = {.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof at;
	const int on = 1;

	s->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (s->listener < 0)
		return -errno;
	/* A given port is free again at once; no other program can share it while it is in use. */
	if (setsockopt(s->listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) ||
		bind(s->listener, (struct sockaddr *)&at, sizeof at) ||
		listen(s->listener, SERVE_CLIENTS) ||
		getsockname(s->listener, (struct sockaddr *)&at, &length))
		return -errno;
	snprintf(s->host, sizeof s->host, "127.0.0.1:%u", ntohs(at.sin_port));
	snprintf(s->origin, sizeof s->origin, "http://%s", s->host);
	return 0;
}

static int serve_make_path(struct server *s)
{
	unsigned char token[SERVE_TOKEN_BYTES];

	if (getrandom(token, sizeof token, 0) != sizeof token)
		return -errno;
	s->path[0] = '/';
	text_of_bytes(s->path + 1, token, sizeof token);
	strcpy(s->path + 1 + 2 * sizeof token, "/");
	return 0;
}

static void serve_answer(struct client *c, const char *status, const struct resource *what,
	bool has_body, const char *more)
{
	const bool has_file = what->fd >= 0;
	const char *text = has_file ? "" : what->text ? what->text : status;
	uint64_t size = has_file ? (uint64_t)(c->end - c->at) : strlen(text) + 1;

	c->head = (size_t)snprintf(c->answer, sizeof c->answer,
		"HTTP/1.1 %s\r\n"
		"Content-Type: %s\r\n"
		"Content-Length: %" PRIu64 "\r\n"
		"Connection: close\r\n"
		"Cache-Control: no-store\r\n"
		"Referrer-Policy: no-referrer\r\n"
		"X-Content-Type-Options: nosniff\r\n"
		"Content-Security-Policy: frame-ancestors 'none'\r\n"
		"Cross-Origin-Opener-Policy: same-origin\r\n"
		"Cross-Origin-Resource-Policy: same-origin\r\n"
		"%s\r\n%s%s",
		status, what->type, size, more, has_body ? text : "",
		has_body && !has_file ? "\n" : "");
	c->file = what->fd;
	if (!has_file || !has_body)
		c->at = c->end = 0;
	c->state = CLIENT_SENDS;
	c->deadline = serve_now() + SERVE_STALL_MS;
}

static void serve_refuse(struct client *c, const char *status, bool has_body, const char *more)
{
	serve_answer(c, status, &serve_no_resource, has_body, more);
}

/* Part of a file, or all of it. */
static void serve_send_file(struct client *c, const struct resource *what,
	const struct serve_range *range, bool has_body)
{
	char more[80] = "Accept-Ranges: bytes\r\n";

	c->at = 0;
	c->end = (off_t)what->size;
	if (!range->is_given) {
		serve_answer(c, "200 OK", what, has_body, "");
		return;
	}
	if (range->is_wrong || range->from >= what->size) {
		snprintf(more, sizeof more, "Content-Range: bytes */%" PRIu64 "\r\n", what->size);
		serve_refuse(c, "416 Range Not Satisfiable", has_body, more);
		return;
	}
	c->at = (off_t)range->from;
	if (range->to < what->size)
		c->end = (off_t)range->to;
	snprintf(more, sizeof more, "Content-Range: bytes %" PRIu64 "-%" PRIu64 "/%" PRIu64 "\r\n",
		range->from, (uint64_t)c->end - 1, what->size);
	serve_answer(c, "206 Partial Content", what, has_body, more);
}

/* bytes=FIRST-LAST, as the page asks. */
static struct serve_range serve_read_range(const char *value)
{
	static const char unit[] = "bytes=";
	const char *at = value + sizeof unit - 1, *end = value + strlen(value);
	struct serve_range range = {.is_given = true, .is_wrong = true};
	uint64_t last;

	if (strncmp(value, unit, sizeof unit - 1) == 0 &&
		number_scan(&at, end, 10, INT64_MAX, &range.from) && *at++ == '-' &&
		number_scan(&at, end, 10, INT64_MAX - 1, &last) && !*at && last >= range.from) {
		range.is_wrong = false;
		range.to = last + 1;
	}
	return range;
}

/* The value of a header line of that name, without the spaces around it; NULL: another one. */
static char *serve_value(char *line, const char *name)
{
	size_t length = strlen(name);

	if (strncasecmp(line, name, length) != 0 || line[length] != ':')
		return NULL;
	char *value = line + length + 1, *end = value + strlen(value);

	while (end > value && (end[-1] == ' ' || end[-1] == '\t'))
		*--end = '\0';
	return value + strspn(value, " \t");
}

/* Compares like strcmp, in a time that does not reveal how much of the secret matches. */
static bool serve_is_secret(const char *given, const char *secret)
{
	size_t length = strlen(secret);
	unsigned differs = strlen(given) != length;

	for (size_t i = 0; i < length && !(differs && !given[i]); i++)
		differs |= (unsigned char)given[i] ^ (unsigned char)secret[i];
	return !differs;
}

/* Each line up to its end; the first one is the request's. */
static char *serve_next_line(char **rest)
{
	char *line = *rest, *end = strstr(line, "\r\n");

	if (!end)
		return NULL;
	*end = '\0';
	*rest = end + 2;
	return line;
}

/* Updates `state`, which only a server with a maker has. False: no memory. */
static bool serve_tell_state(struct server *s)
{
	const _Atomic uint64_t *read = s->files->read;
	struct json j = {.o = &s->state};
	struct stat tiles;

	if (!s->files->maker)
		return true;
	s->state.len = 0;
	json_open(&j, '{');
	json_member_bool(&j, "ready", !s->maker);
	json_member_u64(&j, "read", atomic_load_explicit(&read[0], memory_order_relaxed));
	json_member_u64(&j, "of", atomic_load_explicit(&read[1], memory_order_relaxed));
	json_member_u64(&j, "packed", fstat(s->files->tiles, &tiles) ? 0 : (uint64_t)tiles.st_size);
	json_close(&j, '}');
	out_char(&s->state, '\0');
	if (s->state.error)
		return false;
	s->resources[SERVE_STATE] = (struct resource){.name = "state",
		.type = "application/json",
		.fd = -1,
		.size = strlen(s->state.buf),
		.text = s->state.buf};
	return true;
}

/* The resource at the path; NULL: none. */
static const struct resource *serve_find(const struct server *s, const char *target)
{
	char path[sizeof s->path + 16];
	const struct resource *found = NULL;

	for (size_t i = 0; i < SERVE_RESOURCES; i++) {
		snprintf(path, sizeof path, "%s%s", s->path, s->resources[i].name);
		if (s->resources[i].size && serve_is_secret(target, path))
			found = &s->resources[i];
	}
	return found;
}

/* Whether the target is `span/FROM-TO` beneath the page. */
static bool serve_reads_span(const struct server *s, const char *target, uint64_t span[2])
{
	static const char name[] = "span/";
	const size_t length = strlen(s->path);
	char path[sizeof s->path];

	if (!s->files->maker || strlen(target) <= length)
		return false;
	memcpy(path, target, length);
	path[length] = '\0';
	const char *at = target + length, *end = at + strlen(at);
	if (!serve_is_secret(path, s->path) || strncmp(at, name, sizeof name - 1) != 0)
		return false;
	at += sizeof name - 1;
	return number_scan(&at, end, 10, INT64_MAX, &span[0]) && *at++ == '-' &&
	       number_scan(&at, end, 10, INT64_MAX, &span[1]) && !*at && span[0] < span[1];
}

/* Redirects to the page of all intervals. "#": else browsers keep the fragment of the span's page.
 */
static void serve_redirect(const struct server *s, struct client *c, bool is_head)
{
	char more[sizeof s->path + 16];

	snprintf(more, sizeof more, "Location: %s#\r\n", s->path);
	serve_refuse(c, "303 See Other", !is_head, more);
}

/* Starts the page of a span, while there is none of all intervals. */
static void serve_begin_span(
	const struct server *s, struct client *c, const uint64_t span[2], bool is_head)
{
	size_t waiting = 0;

	if (!s->maker) {
		serve_redirect(s, c, is_head);
		return;
	}
	for (size_t i = 0; i < s->nclients; i++)
		waiting += s->clients[i].state == CLIENT_WAITS;
	c->own = waiting < SERVE_SPANS ? temporary_open_unnamed() : -1;
	const pid_t maker =
		c->own < 0 ? -1 : s->files->make_span(s->files->ctx, span[0], span[1], c->own);
	if (maker < 0) {
		serve_refuse(c, "503 Service Unavailable", !is_head, "");
		return;
	}
	c->maker = maker;
	c->is_head = is_head;
	c->state = CLIENT_WAITS;
	c->deadline = INT64_MAX;
}

/* Sends the page of a span once its maker has ended. */
static void serve_heed_span(struct client *c)
{
	struct resource page = {.type = serve_page_type, .fd = c->own};
	struct stat st;
	int status;

	if (!c->maker || waitpid(c->maker, &status, WNOHANG) != c->maker)
		return;
	c->maker = 0;
	if (status || fstat(c->own, &st)) {
		serve_refuse(c, "500 Internal Server Error", !c->is_head, "");
		return;
	}
	c->at = 0;
	c->end = st.st_size;
	serve_answer(c, "200 OK", &page, !c->is_head, "");
}

static void serve_drop(struct client *c)
{
	close(c->fd);
	if (c->own >= 0)
		close(c->own);
	if (c->maker)
		serve_end_maker(c->maker);
}

static void serve_request(struct server *s, struct client *c)
{
	char *rest = c->request, *line = serve_next_line(&rest), *header, *value;
	char *target = line ? strchr(line, ' ') : NULL;
	char *version = target ? strchr(target + 1, ' ') : NULL;
	struct serve_range range = {0};
	unsigned hosts = 0;
	bool is_own = true;

	if (!version || strncmp(version + 1, "HTTP/1.", 7) != 0) {
		serve_refuse(c, "400 Bad Request", true, "");
		return;
	}
	*target++ = *version = '\0';
	while ((header = serve_next_line(&rest)) && *header) {
		if ((value = serve_value(header, "Host"))) {
			hosts++;
			is_own = is_own && strcmp(value, s->host) == 0;
		} else if ((value = serve_value(header, "Origin"))) {
			is_own = is_own && strcmp(value, s->origin) == 0;
		} else if ((value = serve_value(header, "Range"))) {
			range = serve_read_range(value);
		}
	}
	uint64_t span[2];
	const bool is_told = serve_tell_state(s);
	const bool is_head = strcmp(line, "HEAD") == 0;
	const struct resource *what = serve_find(s, target);
	if (hosts != 1 || !is_own)
		serve_refuse(c, "403 Forbidden", !is_head, "");
	else if (!is_head && strcmp(line, "GET") != 0)
		serve_refuse(c, "405 Method Not Allowed", true, "Allow: GET, HEAD\r\n");
	else if (serve_reads_span(s, target, span))
		serve_begin_span(s, c, span, is_head);
	else if (!is_told)
		serve_refuse(c, "503 Service Unavailable", !is_head, "");
	else if (!what)
		serve_refuse(c, "404 Not Found", !is_head, "");
	else if (what->text)
		serve_answer(c, "200 OK", what, !is_head, "");
	else
		serve_send_file(c, what, &range, !is_head);
}

/* Functions of a client return whether it continues. */
static bool serve_read(struct server *s, struct client *c)
{
	ssize_t n = recv(c->fd, c->request + c->got, SERVE_REQUEST_MAX - c->got, 0);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	if (!n)
		return false;
	c->got += (size_t)n;
	c->request[c->got] = '\0';
	if (strlen(c->request) < c->got)
		serve_refuse(c, "400 Bad Request", true, "");
	else if (strstr(c->request, "\r\n\r\n"))
		serve_request(s, c);
	else if (c->got == SERVE_REQUEST_MAX)
		serve_refuse(c, "431 Request Header Fields Too Large", true, "");
	return true;
}

static bool serve_send(struct client *c)
{
	ssize_t n;

	if (c->sent < c->head)
		n = send(c->fd, c->answer + c->sent, c->head - c->sent, MSG_NOSIGNAL);
	else
		n = sendfile(c->fd, c->file, &c->at,
			c->end - c->at < SERVE_PIECE ? (size_t)(c->end - c->at) : SERVE_PIECE);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	if (c->sent < c->head)
		c->sent += (size_t)n;
	c->deadline = serve_now() + SERVE_STALL_MS;
	if (c->sent < c->head || c->at < c->end)
		return n > 0;
	c->state = CLIENT_DRAINS;
	c->deadline = serve_now() + SERVE_DRAIN_MS;
	return shutdown(c->fd, SHUT_WR) == 0;
}

static bool serve_drain(struct client *c)
{
	ssize_t n = recv(c->fd, c->request, SERVE_REQUEST_MAX, 0);

	return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

static bool serve_client(struct server *s, struct client *c)
{
	switch (c->state) {
	case CLIENT_READS:
		return serve_read(s, c);
	case CLIENT_SENDS:
		return serve_send(c);
	case CLIENT_WAITS: /* The client has closed the connection. */
		return false;
	default:
		return serve_drain(c);
	}
}

/* Whether another client can be taken. *instead: the one to drop for it; SERVE_CLIENTS: none. */
static bool serve_has_room(const struct server *s, size_t *instead)
{
	*instead = SERVE_CLIENTS;
	if (s->nclients < SERVE_CLIENTS)
		return true;
	/* The oldest without a complete request: clients are in order of arrival. */
	for (*instead = 0; *instead < s->nclients; ++*instead)
		if (s->clients[*instead].state == CLIENT_READS)
			return true;
	return false;
}

static void serve_accept(struct server *s)
{
	size_t instead;

	if (!serve_has_room(s, &instead))
		return;
	int fd = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd < 0)
		return;
	if (instead < SERVE_CLIENTS) {
		struct client *c = &s->clients[instead];

		serve_drop(c);
		s->nclients--;
		memmove(c, c + 1, (s->nclients - instead) * sizeof *c);
	}
	s->clients[s->nclients++] = (struct client){.fd = fd,
		.own = -1,
		.state = CLIENT_READS,
		.deadline = serve_now() + SERVE_REQUEST_MS};
}

static int serve_add(struct resource *to, const char *name, const char *type, int fd)
{
	struct stat st = {0};

	*to = (struct resource){.name = name, .type = type, .fd = fd};
	if (fstat(fd, &st))
		return -errno;
	to->size = (uint64_t)st.st_size;
	return 0;
}

static int serve_add_made(struct server *s)
{
	struct resource *all = s->resources;
	int rc = serve_add(&all[SERVE_PAGE], "", serve_page_type, s->files->page);

	return rc ? rc
		  : serve_add(&all[SERVE_TILES], "tiles", "application/octet-stream",
			    s->files->tiles);
}

/* Once the maker has ended, serves the files that it wrote. */
static int serve_heed_maker(struct server *s)
{
	int status;
	pid_t ended = s->maker ? waitpid(s->maker, &status, WNOHANG) : 0;

	if (ended < 0 && errno != EINTR)
		return -errno;
	if (ended <= 0)
		return 0;
	s->maker = 0;
	s->failed = status;
	return status ? 0 : serve_add_made(s);
}

/* Waits for something to do, and does it. */
static int serve_step(struct server *s, const sigset_t *unblocked)
{
	struct pollfd fds[SERVE_CLIENTS + 1];
	const struct timespec second = {.tv_sec = 1},
			      soon = {.tv_nsec = SERVE_MAKER_MS * (long)TIME_MS_NS};
	static const short events[] = {[CLIENT_READS] = POLLIN,
		[CLIENT_WAITS] = POLLRDHUP,
		[CLIENT_SENDS] = POLLOUT,
		[CLIENT_DRAINS] = POLLIN};
	size_t kept = 0, polled = s->nclients, instead;
	bool has_makers = s->maker;

	for (size_t i = 0; i < polled; i++) {
		const struct client *c = &s->clients[i];

		has_makers |= c->state == CLIENT_WAITS;
		fds[i] = (struct pollfd){.fd = c->fd, .events = events[c->state]};
	}
	fds[polled] = (struct pollfd){
		.fd = serve_has_room(s, &instead) ? s->listener : -1, .events = POLLIN};
	if (ppoll(fds, polled + 1, has_makers ? &soon : polled ? &second : NULL, unblocked) < 0)
		return errno == EINTR ? 0 : -errno;
	for (size_t i = 0; i < polled; i++) {
		struct client *c = &s->clients[i];
		bool goes_on = c->deadline > serve_now();

		if (goes_on && fds[i].revents)
			goes_on = serve_client(s, c);
		if (goes_on)
			serve_heed_span(c);
		if (!goes_on)
			serve_drop(c);
		else if (kept++ < i)
			s->clients[kept - 1] = *c;
	}
	s->nclients = kept;
	if (fds[polled].revents)
		serve_accept(s);
	return serve_heed_maker(s);
}

/* The signals are blocked except while it waits, so that none arrives between a check of the flag
 * and the wait. */
static void serve_catch_signals(sigset_t *unblocked)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
	const struct sigaction end = {.sa_handler = serve_on_signal};
	const sigset_t blocked = signals_catch(numbers, sizeof numbers / sizeof *numbers, &end);

	sigprocmask(SIG_BLOCK, &blocked, unblocked);
}

int serve_files(const struct serve_files *files, uint16_t port, int *failed)
{
	static struct server server; /* 300 KB of buffers */
	sigset_t unblocked;

	server = (struct server){.listener = -1, .files = files, .maker = files->maker};
	out_memory(&server.state);
	int rc = files->maker ? serve_add(&server.resources[SERVE_PAGE], "", serve_page_type,
					files->early)
			      : serve_add_made(&server);
	if (!rc)
		rc = serve_listen(&server, port);
	if (!rc)
		rc = serve_make_path(&server);
	if (!rc) {
		serve_catch_signals(&unblocked);
		printf("%s%s\n", server.origin, server.path);
		if (fflush(stdout))
			rc = -errno;
	}
	while (!rc && !serve_ends && !server.failed)
		rc = serve_step(&server, &unblocked);
	for (size_t i = 0; i < server.nclients; i++)
		serve_drop(&server.clients[i]);
	out_discard(&server.state);
	if (server.listener >= 0)
		close(server.listener);
	if (server.maker)
		serve_end_maker(server.maker);
	/* A signal that ended the maker may be pending here, too: deliver it. */
	if (server.failed)
		ppoll(NULL, 0, &(struct timespec){0}, &unblocked);
	*failed = serve_ends ? 0 : server.failed;
	return rc;
}
