/*
 * doctor's findings for the traces of a session.
 */
#ifndef SWT_CMD_DOCTOR_KEEP_H
#define SWT_CMD_DOCTOR_KEEP_H

#include "../../session/session.h"

/*
 * Saves doctor's findings with the session's new rings; dumps copy them into META. Costs a few
 * milliseconds. After a failure, traces have no findings, and reports say so; nothing else fails.
 */
void doctor_keep(const char *verb, struct session *s);

#endif
