/*
 * Who may do what in a session: the rows of swtrace(1), SESSIONS, and perfutil(3), Control.
 */
#include "matrix.h"

#define DENIED PU_ERROR_ACCESS_DENIED
#define ONLY_OWNER "only its owner may control it"
#define MAY_NOT "permission denied"

static const struct row rows[] = {
	/* Tracing. A session that may not be used is as if absent: success, and nothing written. */
	{"the owner traces", OWNER, &private_session, do_trace, NULL, 0, NULL, ONE_HOOK, 0},
	{"root traces there", ROOT, &private_session, do_trace, NULL, 0, NULL, ONE_HOOK, 0},
	{"without -g a member does not", MEMBER, &private_session, do_trace, NULL, 0, NULL, SAME,
		0},
	{"a stranger does not", STRANGER, &private_session, do_trace, NULL, 0, NULL, SAME, 0},
	{"with -g the owner traces", OWNER, &group_session, do_trace, NULL, 0, NULL, ONE_HOOK, 0},
	{"with -g a member traces", MEMBER, &group_session, do_trace, NULL, 0, NULL, ONE_HOOK, 0},
	{"with -g root traces", ROOT, &group_session, do_trace, NULL, 0, NULL, ONE_HOOK, 0},
	{"with -g a stranger does not", STRANGER, &group_session, do_trace, NULL, 0, NULL, SAME, 0},
	{"off is off for a member", MEMBER, &group_off, do_trace, NULL, 0, NULL, MEMBERS, 0},
	{"a member registers a schema", MEMBER, &group_session, do_api, "TraceRegisterSchema", 0,
		NULL, MEMBERS, 0},
	{"a stranger's schema goes nowhere", STRANGER, &group_session, do_api,
		"TraceRegisterSchema", 0, NULL, SAME, 0},

	/* Reading. */
	{"the owner's info", OWNER, &private_session, do_command, "info", 0, NULL, SAME, 0},
	{"the owner's dump", OWNER, &private_session, do_command, "dump -", 0, NULL, SAME, 0},
	{"root's info", ROOT, &private_session, do_command, "info", 0, NULL, SAME, 0},
	{"root's dump", ROOT, &private_session, do_command, "dump -", 0, NULL, SAME, 0},
	{"without -g no info for a member", MEMBER, &private_session, do_command, "info", 1,
		MAY_NOT, SAME, 0},
	{"without -g no dump for a member", MEMBER, &private_session, do_command, "dump -", 1,
		MAY_NOT, SAME, 0},
	{"a member's info", MEMBER, &group_session, do_command, "info --json", 0, NULL, SAME, 0},
	{"a member's maj", MEMBER, &group_session, do_command, "maj", 0, NULL, SAME, 0},
	{"a member's dump", MEMBER, &group_session, do_command, "dump -", 0, NULL, SAME, 0},
	{"a member's TraceWriteBufferToFile", MEMBER, &group_session, do_api,
		"TraceWriteBufferToFile", 0, NULL, SAME, 0},
	{"a member's IsTraceOn", MEMBER, &group_session, do_api, "IsTraceOn", 1, NULL, SAME, 0},
	{"a stranger's info", STRANGER, &group_session, do_command, "info", 1, MAY_NOT, SAME, 0},
	{"a stranger's maj", STRANGER, &group_session, do_command, "maj", 1, MAY_NOT, SAME, 0},
	{"a stranger's dump", STRANGER, &group_session, do_command, "dump -", 1, MAY_NOT, SAME, 0},
	{"a stranger's TraceWriteBufferToFile", STRANGER, &group_session, do_api,
		"TraceWriteBufferToFile", DENIED, NULL, SAME, 0},

	/* Control from a program. */
	{"the owner's TraceOff", OWNER, &private_session, do_api, "TraceOff", 0, NULL, OFF, 0},
	{"the owner's TraceOn, on already", OWNER, &private_session, do_api, "TraceOn",
		PU_ERROR_INCORRECT_STATE, NULL, SAME, 0},
	{"the owner's TraceInit while on", OWNER, &private_session, do_api, "TraceInit",
		PU_ERROR_INCORRECT_STATE, NULL, SAME, 0},
	{"a member's TraceInit", MEMBER, &group_off, do_api, "TraceInit", DENIED, NULL, SAME, 0},
	{"a member's TraceOn", MEMBER, &group_off, do_api, "TraceOn", DENIED, NULL, SAME, 0},
	{"a member's TraceOff", MEMBER, &group_session, do_api, "TraceOff", DENIED, NULL, SAME, 0},
	{"a member's TraceSuspend", MEMBER, &group_session, do_api, "TraceSuspend", DENIED, NULL,
		SAME, 0},
	{"a member's TraceResume", MEMBER, &group_session, do_api, "TraceResume", DENIED, NULL,
		SAME, 0},
	{"a member's TraceDiscard", MEMBER, &group_session, do_api, "TraceDiscard", DENIED, NULL,
		SAME, 0},
	{"a member's TraceTerminate", MEMBER, &group_session, do_api, "TraceTerminate", DENIED,
		NULL, SAME, 0},
	{"a member's TraceEnable", MEMBER, &group_session, do_api, "TraceEnable", DENIED, NULL,
		SAME, 0},
	{"a member's TraceDisable", MEMBER, &group_session, do_api, "TraceDisable", DENIED, NULL,
		SAME, 0},
	{"a stranger's TraceInit", STRANGER, &group_off, do_api, "TraceInit", DENIED, NULL, SAME,
		0},
	{"a stranger's TraceOff", STRANGER, &group_session, do_api, "TraceOff", DENIED, NULL, SAME,
		0},
	{"a stranger's TraceDiscard", STRANGER, &group_session, do_api, "TraceDiscard", DENIED,
		NULL, SAME, 0},
	{"a stranger's TraceDisable", STRANGER, &group_session, do_api, "TraceDisable", DENIED,
		NULL, SAME, 0},

	/* Control by command. */
	{"the owner's off", OWNER, &private_session, do_command, "off", 0, NULL, OFF, 0},
	{"the owner's free", OWNER, &private_session, do_command, "free", 0, NULL, GONE, 0},
	{"the owner's on", OWNER, &group_off, do_command, "on", 0, NULL, ON, 0},
	{"the owner's init", OWNER, &group_off, do_command, "init -s 1", 0, NULL, OWNER_CAN, 0},
	{"a group that the owner is not in", OWNER, &group_off, do_command, "init -s 1 -g 1", 1,
		"cannot give it to group", SAME, 0},
	{"a member's on", MEMBER, &group_off, do_command, "on", 1, ONLY_OWNER, SAME, 0},
	{"a member's off", MEMBER, &group_session, do_command, "off", 1, ONLY_OWNER, SAME, 0},
	{"a member's init", MEMBER, &group_off, do_command, "init -s 1", 1, ONLY_OWNER, SAME, 0},
	{"a member's enable", MEMBER, &group_session, do_command, "enable 5", 1, ONLY_OWNER, SAME,
		0},
	{"a member's disable", MEMBER, &group_session, do_command, "disable all", 1, ONLY_OWNER,
		SAME, 0},
	{"a member's free", MEMBER, &group_session, do_command, "free", 1, ONLY_OWNER, SAME, 0},
	{"a stranger's on", STRANGER, &group_off, do_command, "on", 1, MAY_NOT, SAME, 0},
	{"a stranger's off", STRANGER, &group_session, do_command, "off", 1, MAY_NOT, SAME, 0},
	{"a stranger's init", STRANGER, &group_off, do_command, "init -s 1", 1, MAY_NOT, SAME, 0},
	{"a stranger's disable", STRANGER, &group_session, do_command, "disable all", 1, MAY_NOT,
		SAME, 0},
	{"a stranger's free", STRANGER, &group_session, do_command, "free", 1, MAY_NOT, SAME, 0},
	{"a stranger's install", STRANGER, &group_session, do_command, "install", 1, "as root",
		SAME, 0},

	/* Root may, and the owner's session still works afterwards. */
	{"root's off", ROOT, &group_session, do_command, "off", 0, NULL, OWNER_CAN, 0},
	{"root's on", ROOT, &group_off, do_command, "on", 0, NULL, OWNER_CAN, 0},
	{"root's disable", ROOT, &group_off, do_command, "disable 5", 0, NULL, OWNER_CAN, 0},
	{"root's free", ROOT, &group_session, do_command, "free", 0, NULL, OWNER_CAN, 0},
	{"root's init", ROOT, &group_off, do_command, "init -s 1", 0, NULL, OWNER_CAN, 0},
	{"root's init, the first command there", ROOT, &control_only, do_command, "init -s 1", 0,
		NULL, OWNER_CAN, 0},
	{"root's enable, the first command there", ROOT, &control_only, do_command, "enable 5", 0,
		NULL, OWNER_CAN, 0},
};

const struct table who_table = TABLE("who may do what", rows);
