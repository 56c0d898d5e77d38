#include "serve.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
	SERVE_CLIENTS = 32, /* at a time; more wait for those that are answered */
	SERVE_REQUEST_MAX = 8192,
	SERVE_TOKEN_BYTES = 16,
	SERVE_PIECE = 1 << 20,
	SERVE_REQUEST_MS = 10000, /* for a request to arrive */
	SERVE_STALL_MS = 60000,	  /* for a client that does not read */
	SERVE_DRAIN_MS = 2000,
};

enum client_state {
	CLIENT_READS,  /* its request */
	CLIENT_SENDS,  /* the answer, to it */
	CLIENT_DRAINS, /* A close with unread bytes would reset the connection and lose the answer.
			*/
};

struct client {
	int fd;
	enum client_state state;
	int64_t deadline; /* ms, CLOCK_MONOTONIC */
	size_t got, head, sent;
	off_t at, end; /* of the file */
	char request[SERVE_REQUEST_MAX + 1];
	char answer[1024];
};

struct server {
	int listener, file;
	uint64_t size;
	char host[32];	 /* 127.0.0.1:PORT */
	char origin[40]; /* http://HOST */
	char path[2 * SERVE_TOKEN_BYTES + 3];
	struct client clients[SERVE_CLIENTS];
	size_t nclients;
};

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
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
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
	for (size_t i = 0; i < sizeof token; i++)
		snprintf(s->path + 1 + 2 * i, 4, "%02x/", token[i]);
	return 0;
}

static void serve_answer(struct server *s, struct client *c, const char *status, bool has_page,
	bool has_body, const char *more)
{
	const char *text = has_page ? "" : status;
	uint64_t size = has_page ? s->size : strlen(text) + 1;

	c->head = (size_t)snprintf(c->answer, sizeof c->answer,
		"HTTP/1.1 %s\r\n"
		"Content-Type: text/%s; charset=utf-8\r\n"
		"Content-Length: %" PRIu64 "\r\n"
		"Connection: close\r\n"
		"Cache-Control: no-store\r\n"
		"Referrer-Policy: no-referrer\r\n"
		"X-Content-Type-Options: nosniff\r\n"
		"Content-Security-Policy: frame-ancestors 'none'\r\n"
		"Cross-Origin-Opener-Policy: same-origin\r\n"
		"Cross-Origin-Resource-Policy: same-origin\r\n"
		"%s\r\n%s%s",
		status, has_page ? "html" : "plain", size, more, has_body ? text : "",
		has_body && !has_page ? "\n" : "");
	c->at = 0;
	c->end = has_page && has_body ? (off_t)s->size : 0;
	c->state = CLIENT_SENDS;
	c->deadline = serve_now() + SERVE_STALL_MS;
}

/* The value of a header line of that name, without the spaces around it; NULL: another one. */
static char *serve_value(char *line, const char *name)
{
	size_t length = strlen(name);

	if (strncasecmp(line, name, length) || line[length] != ':')
		return NULL;
	char *value = line + length + 1, *end = value + strlen(value);

	while (end > value && (end[-1] == ' ' || end[-1] == '\t'))
		*--end = '\0';
	return value + strspn(value, " \t");
}

/* As strcmp, in a time that does not tell how much of the secret matches. */
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

static void serve_request(struct server *s, struct client *c)
{
	char *rest = c->request, *line = serve_next_line(&rest), *header, *value;
	char *target = line ? strchr(line, ' ') : NULL;
	char *version = target ? strchr(target + 1, ' ') : NULL;
	unsigned hosts = 0;
	bool is_own = true;

	if (!version || strncmp(version + 1, "HTTP/1.", 7) != 0) {
		serve_answer(s, c, "400 Bad Request", false, true, "");
		return;
	}
	*target++ = *version = '\0';
	while ((header = serve_next_line(&rest)) && *header) {
		if ((value = serve_value(header, "Host"))) {
			hosts++;
			is_own = is_own && strcmp(value, s->host) == 0;
		} else if ((value = serve_value(header, "Origin"))) {
			is_own = is_own && strcmp(value, s->origin) == 0;
		}
	}
	const bool is_head = strcmp(line, "HEAD") == 0;
	if (hosts != 1 || !is_own)
		serve_answer(s, c, "403 Forbidden", false, !is_head, "");
	else if (!is_head && strcmp(line, "GET") != 0)
		serve_answer(s, c, "405 Method Not Allowed", false, true, "Allow: GET, HEAD\r\n");
	else if (!serve_is_secret(target, s->path))
		serve_answer(s, c, "404 Not Found", false, !is_head, "");
	else
		serve_answer(s, c, "200 OK", true, !is_head, "");
}

/* Functions of a client return whether it goes on. */
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
		serve_answer(s, c, "400 Bad Request", false, true, "");
	else if (strstr(c->request, "\r\n\r\n"))
		serve_request(s, c);
	else if (c->got == SERVE_REQUEST_MAX)
		serve_answer(s, c, "431 Request Header Fields Too Large", false, true, "");
	return true;
}

static bool serve_send(struct server *s, struct client *c)
{
	ssize_t n;

	if (c->sent < c->head)
		n = send(c->fd, c->answer + c->sent, c->head - c->sent, MSG_NOSIGNAL);
	else
		n = sendfile(c->fd, s->file, &c->at,
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
		return serve_send(s, c);
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
	/* The oldest without a whole request: clients are in order of arrival. */
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

		close(c->fd);
		s->nclients--;
		memmove(c, c + 1, (s->nclients - instead) * sizeof *c);
	}
	s->clients[s->nclients++] = (struct client){
		.fd = fd, .state = CLIENT_READS, .deadline = serve_now() + SERVE_REQUEST_MS};
}

/* Waits for something to do, and does it. */
static int serve_step(struct server *s, const sigset_t *unblocked)
{
	struct pollfd fds[SERVE_CLIENTS + 1];
	const struct timespec second = {.tv_sec = 1};
	size_t kept = 0, polled = s->nclients, instead;

	for (size_t i = 0; i < polled; i++)
		fds[i] = (struct pollfd){.fd = s->clients[i].fd,
			.events = s->clients[i].state == CLIENT_SENDS ? POLLOUT : POLLIN};
	fds[polled] = (struct pollfd){
		.fd = serve_has_room(s, &instead) ? s->listener : -1, .events = POLLIN};
	if (ppoll(fds, polled + 1, polled ? &second : NULL, unblocked) < 0)
		return errno == EINTR ? 0 : -errno;
	for (size_t i = 0; i < polled; i++) {
		struct client *c = &s->clients[i];
		bool goes_on = c->deadline > serve_now();

		if (goes_on && fds[i].revents)
			goes_on = serve_client(s, c);
		if (!goes_on)
			close(c->fd);
		else if (kept++ < i)
			s->clients[kept - 1] = *c;
	}
	s->nclients = kept;
	if (fds[polled].revents)
		serve_accept(s);
	return 0;
}

/* A signal that the caller ignores (nohup) stays ignored. The signals are blocked but while it
 * waits, so that none comes between a look at the flag and the wait. */
static void serve_heed(sigset_t *unblocked)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
	const struct sigaction end = {.sa_handler = serve_on_signal};
	struct sigaction before;
	sigset_t blocked;

	sigemptyset(&blocked);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		sigaddset(&blocked, numbers[i]);
		if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
			sigaction(numbers[i], &end, NULL);
	}
	sigprocmask(SIG_BLOCK, &blocked, unblocked);
}

int serve_file(int fd, uint64_t size, uint16_t port)
{
	static struct server server; /* 300 KB of buffers */
	sigset_t unblocked;

	server = (struct server){.file = fd, .size = size};
	int rc = serve_listen(&server, port);
	if (!rc)
		rc = serve_make_path(&server);
	if (!rc) {
		serve_heed(&unblocked);
		printf("%s%s\n", server.origin, server.path);
		if (fflush(stdout))
			rc = -errno;
	}
	while (!rc && !serve_ends)
		rc = serve_step(&server, &unblocked);
	for (size_t i = 0; i < server.nclients; i++)
		close(server.clients[i].fd);
	if (server.listener >= 0)
		close(server.listener);
	return rc;
}
