/*
 * The trace-control functions of perfutil.h: each opens the session, does one operation and
 * closes it.
 */
#include <stdlib.h>

#include "../../include/perfutil.h"
#include "../session/attach.h"
#include "drain/control.h"
#include "dump.h"

/* Settings for the next TraceInit of this process. */
static uint32_t next_mode = SHM_MODE_NORMAL;
static uint32_t next_section_bytes;

static int open_session(struct session *s, int flags)
{
	struct session_location location;
	int rc = session_find(&location, NULL);

	return rc ? rc : session_open(s, &location, flags, NULL);
}

/* Attaches now: a program that turns tracing on wants its own next hook in the trace. */
static int close_session(struct session *s, int rc)
{
	session_close(s);
	attach_discover();
	return rc;
}

static int state_of_session(void)
{
	struct session s;
	int rc = open_session(&s, SESSION_READ);

	if (rc)
		return rc;
	int state = (int)__atomic_load_n(&s.control->state, __ATOMIC_RELAXED);
	session_close(&s);
	return state;
}

static int name_drain(struct drain_config *config)
{
	char *name = dump_name(NULL);
	int rc = name ? drain_set_path(config, name, NULL) : PU_ERROR_NOT_ENOUGH_MEMORY;

	free(name);
	/* The program's standard output belongs to the program. */
	return rc == 0 && *config->path != '/' ? PU_ERROR_INVALID_PARAMETER : rc;
}

int TraceInit(UINT32 bytes_per_cpu)
{
	struct session_config config = {.ring_bytes = bytes_per_cpu,
		.section_bytes = __atomic_load_n(&next_section_bytes, __ATOMIC_RELAXED),
		.mode = __atomic_load_n(&next_mode, __ATOMIC_RELAXED),
		.group = (gid_t)-1};
	struct drain_config drain = {.codec = TF_CODEC_LZ4};
	struct session s;
	int rc = 0;

	if (config.mode == SHM_MODE_CONTINUOUS) {
		drain_size_rings(&config);
		rc = name_drain(&drain);
	}
	if (rc == 0)
		rc = open_session(&s, SESSION_CONTROL | SESSION_CREATE);
	return rc ? rc : close_session(&s, drain_init(&s, &config, &drain, NULL));
}

/* Releases the lock while a drain finishes its file. */
static int control_turn_off(struct session *s)
{
	struct drain_config config;
	bool finished;
	int rc = session_off(s, NULL);

	if (rc || !session_is_continuous(s))
		return rc;
	rc = drain_load(s, &config, NULL);
	if (rc == 0)
		rc = drain_end(s, &config, &finished, NULL);
	return rc == 0 && session_drain(s)->state == SHM_DRAIN_FAILED ? PU_ERR_FILE_ERROR : rc;
}

int TraceTerminate(void)
{
	struct session s;
	int rc = open_session(&s, SESSION_CONTROL);

	if (rc)
		return rc;
	int ended = session_is_on(&s) ? control_turn_off(&s) : 0;
	/* A slow drain still needs the rings. */
	if (ended != PU_ERROR_FACILITY_BUSY)
		rc = session_lock(&s, true, NULL);
	if (ended != PU_ERROR_FACILITY_BUSY && rc == 0 && s.control->generation == s.generation)
		rc = session_free(&s, NULL);
	return close_session(&s, ended ? ended : rc);
}

int TraceOn(void)
{
	struct session s;
	bool resumed;
	int rc = open_session(&s, SESSION_CONTROL);

	if (rc)
		return rc;
	session_reclaim(&s);
	rc = session_is_continuous(&s) ? drain_on(&s, &resumed, NULL) : session_on(&s, NULL);
	return close_session(&s, rc);
}

int TraceOff(void)
{
	struct session s;
	int rc = open_session(&s, SESSION_CONTROL);

	if (rc)
		return rc;
	return close_session(&s, control_turn_off(&s));
}

static int control_suspend_tracing(bool on)
{
	struct session s;
	int rc = open_session(&s, SESSION_CONTROL);

	return rc ? rc : close_session(&s, session_suspend(&s, on, NULL));
}

int TraceSuspend(void)
{
	return control_suspend_tracing(true);
}

int TraceResume(void)
{
	return control_suspend_tracing(false);
}

int TraceDiscard(void)
{
	struct session s;
	int rc = open_session(&s, SESSION_CONTROL);

	return rc ? rc : close_session(&s, session_discard(&s, NULL));
}

static int control_enable_major(int major, bool on)
{
	struct session s;

	if (major < ALL_MAJORS || major >= SHM_MAJORS)
		return PU_ERROR_INVALID_PARAMETER;
	int rc = open_session(&s, SESSION_CONTROL | SESSION_CREATE);
	return rc ? rc : close_session(&s, session_enable(&s, major, on, NULL));
}

int TraceEnable(int major)
{
	return control_enable_major(major, true);
}

int TraceDisable(int major)
{
	return control_enable_major(major, false);
}

int TraceQueryMajor(int major)
{
	struct session s;

	if (major < 0 || major >= SHM_MAJORS)
		return PU_ERROR_INVALID_PARAMETER;
	if (open_session(&s, SESSION_READ))
		return 0;
	int enabled = __atomic_load_n(&s.control->majors[major], __ATOMIC_RELAXED) != 0;
	session_close(&s);
	return enabled;
}

int TraceSetMode(UINT32 mode)
{
	static const enum shm_mode modes[] = {[TRACE_MODE_NORMAL] = SHM_MODE_NORMAL,
		[TRACE_MODE_WRAP] = SHM_MODE_WRAP,
		[TRACE_MODE_CONTINUOUS] = SHM_MODE_CONTINUOUS};

	if (mode > TRACE_MODE_CONTINUOUS)
		return PU_ERROR_INVALID_PARAMETER;
	__atomic_store_n(&next_mode, modes[mode], __ATOMIC_RELAXED);
	return PU_SUCCESS;
}

/* Refuses here what session_plan would refuse later, because here the caller learns of it. */
int TraceSetSectionSize(int bytes)
{
	struct session_config config = {.mode = SHM_MODE_NORMAL, .group = (gid_t)-1};
	struct shm_geometry geometry;

	if (bytes < 0)
		return PU_ERROR_INVALID_PARAMETER;
	config.section_bytes = (uint32_t)bytes;
	int rc = session_plan(&config, &geometry, NULL);
	if (rc == 0)
		__atomic_store_n(&next_section_bytes, config.section_bytes, __ATOMIC_RELAXED);
	return rc;
}

int IsTraceOn(void)
{
	return state_of_session() == SHM_ON;
}

int IsTraceActive(void)
{
	int state = state_of_session();

	return state == SHM_ON || state == SHM_SUSPENDED;
}
