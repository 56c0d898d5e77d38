/*
 * A page over HTTP, for a browser on this machine. It listens on 127.0.0.1 alone, and answers GET
 * and HEAD for its path, which holds a token that others cannot guess, and for `tiles`, `state` and
 * `span/FROM-TO` beneath it. A request with another Host or Origin than its own is refused: a page
 * of another site that found the port would send those.
 *
 * While another process makes the page, the server shows an early one. That polls `state`, JSON
 * with ready and, until ready is true, the bytes of the trace (read, of) and of tiles (packed) that
 * the process has read and written. Once the page is ready, `span/FROM-TO` redirects to it.
 */
#ifndef SWT_DECODER_CMD_SERVE_H
#define SWT_DECODER_CMD_SERVE_H

#include <stdint.h>
#include <sys/types.h>

/* The served files, complete. */
struct serve_files {
	int page, tiles; /* an empty file of tiles: none */
	int early;	 /* shown until `maker` has written both; -1: they are written */
	pid_t maker;	 /* a child, which serve_files ends and waits for; 0: none */
	const _Atomic uint64_t *read; /* its progress: bytes of the trace, and all of them */
	/* Starts a child that writes the page of a span to fd; called until `maker` has ended.
	 * from, to: ns since the first hook. Returns the child's id, or a negative errno. */
	pid_t (*make_span)(void *ctx, uint64_t from, uint64_t to, int fd);
	void *ctx;
};

/*
 * Serves the files, parts of the tiles as well (Range), until SIGINT, SIGTERM or SIGHUP. Prints the
 * page's address as a line on standard output once it listens. port 0: any free one. Ends if the
 * maker fails: *failed is its status from waitpid, else 0. Returns 0, or a negative errno.
 */
int serve_files(const struct serve_files *files, uint16_t port, int *failed);

#endif
