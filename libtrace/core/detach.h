/*
 * Processes of their own: the drain's daemon, the recorder of switches.
 */
#ifndef SWT_CORE_DETACH_H
#define SWT_CORE_DETACH_H

/*
 * Runs live(ctx), which must end its process, in a grandchild: init reaps it, and in a session of
 * its own it never has a terminal. Returns 0 or a negative errno.
 */
int detach_process(void (*live)(void *ctx), void *ctx);

/* In there: closes inherited descriptors except `keep`, since the reader of an inherited pipe would
 * never see its end, and a lock would stay. Standard streams become /dev/null; the folder is /. */
void detach_from_caller(int keep);

#endif
