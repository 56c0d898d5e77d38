/*
 * A page over HTTP, for a browser on this machine. It listens on 127.0.0.1 alone, and answers GET
 * and HEAD for one path, which holds a token that others cannot guess. A request with another Host
 * or Origin than its own is refused: a page of another site that found the port would send those.
 */
#ifndef SWT_DECODER_CMD_SERVE_H
#define SWT_DECODER_CMD_SERVE_H

#include <stdint.h>

/*
 * Serves the first `size` bytes of a file, until SIGINT, SIGTERM or SIGHUP. Prints the page's
 * address as a line on standard output once it listens. port 0: any free one. 0, or a negative
 * errno.
 */
int serve_file(int fd, uint64_t size, uint16_t port);

#endif
