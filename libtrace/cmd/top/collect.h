/* Follows the rings and feeds the figures. */
#ifndef SWT_CMD_TOP_COLLECT_H
#define SWT_CMD_TOP_COLLECT_H

#include "state.h"

/* Begins with the rings of the open session. Returns an exit code; reports errors. */
int top_collect_open(struct top *t);
void top_collect_close(struct top *t);
/* Counts new hooks. */
void top_collect_poll(struct top *t);
/* Ends the round: its figures are in t until the next one ends. False: not enough memory for all.
 */
bool top_collect_close_round(struct top *t);
/* Sorts the rows of the last round again. */
void top_collect_sort(struct top *t);

#endif
