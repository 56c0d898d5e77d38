/* How wide the terminal is that a report goes to. */
#ifndef SWT_DECODER_CMD_WIDTH_H
#define SWT_DECODER_CMD_WIDTH_H

/*
 * COLUMNS if it is set, else what the terminal says. 0: no limit, since the descriptor is no
 * terminal (so that a file has the same bytes wherever it is written), or has no known width.
 */
unsigned width_of_terminal(int fd);

#endif
