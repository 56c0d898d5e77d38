/*
 * Handles and error reports.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cpc.h"

/* Print with a single write, so lines of several threads do not mix, and only async-signal-safe
 * calls. */
static void cpc_print_error(const char *fn, const char *format, va_list ap)
{
	char line[640];
	int at = snprintf(line, sizeof line, "libcpc: %s: ", fn);
	int n = vsnprintf(line + at, sizeof line - (size_t)at - 1, format, ap);

	at += n < 0 ? 0 : n;
	if (at > (int)sizeof line - 2)
		at = (int)sizeof line - 2;
	line[at++] = '\n';
	if (write(STDERR_FILENO, line, (size_t)at) < 0)
		return;
}

int cpc_tell(
	cpc_errhndlr_t *handler, const char *fn, int error, int subcode, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	if (handler)
		handler(fn, subcode, format, ap);
	else
		cpc_print_error(fn, format, ap);
	va_end(ap);
	errno = error;
	return -1;
}

cpc_errhndlr_t *cpc_handler(const cpc_t *cpc)
{
	return cpc && cpc->magic == CPC_MAGIC ? atomic_load(&cpc->handler) : NULL;
}

bool cpc_is(const cpc_t *cpc, const char *fn)
{
	if (cpc && cpc->magic == CPC_MAGIC)
		return true;
	cpc_tell(NULL, fn, EINVAL, 0, "cpc is not a handle of cpc_open");
	return false;
}

bool cpc_has_set(const cpc_t *cpc, const cpc_set_t *set, const char *fn)
{
	if (!cpc_is(cpc, fn))
		return false;
	if (set && set->magic == SET_MAGIC && set->cpc == cpc)
		return true;
	cpc_tell(cpc_handler(cpc), fn, EINVAL, 0,
		set && set->magic == SET_MAGIC ? "the set was created with another cpc handle"
					       : "set is not a set of cpc_set_create");
	return false;
}

bool cpc_has_buf(const cpc_t *cpc, const cpc_buf_t *buf, const char *fn)
{
	if (!cpc_is(cpc, fn))
		return false;
	if (buf && buf->magic == BUF_MAGIC && buf->cpc == cpc)
		return true;
	cpc_tell(cpc_handler(cpc), fn, EINVAL, 0,
		buf && buf->magic == BUF_MAGIC ? "the buffer was created with another cpc handle"
					       : "buf is not a buffer of cpc_buf_create");
	return false;
}

lwpid_t _lwp_self(void)
{
	return (lwpid_t)syscall(SYS_gettid);
}

cpc_t *cpc_open(int version)
{
	cpc_t *cpc;

	if (version != CPC_VER_CURRENT) {
		cpc_fail(NULL, EINVAL, 0, "version %d is not supported: this is version %d",
			version, CPC_VER_CURRENT);
		return NULL;
	}
	if (!perf_group_supported()) {
		cpc_fail(NULL, ENOTSUP, 0,
			"the kernel has no perf_event_open, or a sandbox blocks it");
		return NULL;
	}
	cpc = calloc(1, sizeof *cpc);
	if (!cpc) {
		cpc_fail(NULL, ENOMEM, 0, "out of memory");
		return NULL;
	}
	cpc->magic = CPC_MAGIC;
	return cpc;
}

int cpc_close(cpc_t *cpc)
{
	if (!cpc_is(cpc, __func__))
		return -1;
	while (cpc->sets)
		cpc_set_destroy(cpc, cpc->sets);
	while (cpc->bufs)
		cpc_buf_destroy(cpc, cpc->bufs);
	cpc->magic = 0;
	free(cpc);
	return 0;
}

int cpc_seterrhndlr(cpc_t *cpc, cpc_errhndlr_t *handler)
{
	if (!cpc_is(cpc, __func__))
		return -1;
	atomic_store(&cpc->handler, handler);
	return 0;
}
