/*
 * The full-screen view, with ncurses. Without it (SWTRACE_NCURSES is not defined) the screen never
 * opens.
 */
#ifndef SWT_CMD_TOP_SCREEN_H
#define SWT_CMD_TOP_SCREEN_H

#include "state.h"

struct top_screen;

/* NULL: there is no screen, and *why says so. */
struct top_screen *top_screen_open(const char **why);
/* Gives the terminal back as it was. */
void top_screen_close(struct top_screen *s);
/* Draws the last round. */
void top_screen_draw(struct top_screen *s, const struct top *t);
/* Handles the keys that were pressed, and redraws. False: the user wants to quit. */
bool top_screen_handle_keys(struct top_screen *s, struct top *t);
/* A line at the bottom until the next key. */
void top_screen_tell(struct top_screen *s, const char *line);

#endif
