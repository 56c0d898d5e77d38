/*
 * A page over HTTP, for a browser on this machine. It listens on 127.0.0.1 alone, and answers GET
 * and HEAD for its path, which holds a token that others cannot guess, and for `tiles` beneath it.
 * A request with another Host or Origin than its own is refused: a page of another site that found
 * the port would send those.
 */
#ifndef SWT_DECODER_CMD_SERVE_H
#define SWT_DECODER_CMD_SERVE_H

#include <stdint.h>

/* What is served: whole files. */
struct serve_files {
	int page, tiles; /* an empty file of tiles: none */
};

/*
 * Serves the files, parts of the tiles as well (Range), until SIGINT, SIGTERM or SIGHUP. Prints the
 * page's address as a line on standard output once it listens. port 0: any free one. 0, or a
 * negative errno.
 */
int serve_files(const struct serve_files *files, uint16_t port);

#endif
