/*
 * The second example of cpc_bind_curlwp(3CPC), completed: a counter that starts 1000 counts
 * short of its overflow, and a handler of SIGEMT that samples and restarts it. EVENT is the event
 * to count.
 *
 * printf in a signal handler is as in the original: fine while nothing else prints.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* for the register names */
#endif
#include <errno.h>
#include <inttypes.h>
#include <libcpc.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <ucontext.h>
#include <unistd.h>

#include "cpc_work.h"

#define PRESET (UINT64_MAX - 999ull)
#if defined(__x86_64__)
#define PC(uap) ((void *)(uap)->uc_mcontext.gregs[REG_RIP])
#define SP(uap) ((void *)(uap)->uc_mcontext.gregs[REG_RSP])
#elif defined(__aarch64__)
#define PC(uap) ((void *)(uap)->uc_mcontext.pc)
#define SP(uap) ((void *)(uap)->uc_mcontext.sp)
#endif

cpc_t *cpc;
cpc_set_t *set;
cpc_buf_t *buf;
int index0;

static void error(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

static void emt_handler(int sig, siginfo_t *sip, void *arg)
{
	ucontext_t *uap = arg;
	uint64_t val;

	if (sig != SIGEMT || sip->si_code != EMT_CPCOVF) {
		psignal(sig, "example");
		psiginfo(sip, "example");
		return;
	}

	(void)printf("lwp%u - si_addr %p ucontext: %%pc %p %%sp %p\n", _lwp_self(),
		(void *)sip->si_addr, PC(uap), SP(uap));

	if (cpc_set_sample(cpc, set, buf) != 0)
		error("cannot sample: %s", strerror(errno));

	cpc_buf_get(cpc, buf, index0, &val);

	(void)printf("0x%" PRIx64 "\n", val);
	(void)fflush(stdout);

	/* Update the request's preset and restart the counters. */
	if (cpc_request_preset(cpc, index0, PRESET) != 0)
		error("cannot set preset for request %d: %s", index0, strerror(errno));
	if (cpc_set_restart(cpc, set) != 0)
		error("cannot restart lwp%u: %s", _lwp_self(), strerror(errno));
}

int main(void)
{
	struct sigaction act;
	char *event;
	int iter;

	if ((cpc = cpc_open(CPC_VER_CURRENT)) == NULL)
		error("perf counters unavailable: %s", strerror(errno));
	if ((event = getenv("EVENT")) == NULL)
		event = "page-faults";
	if ((set = cpc_set_create(cpc)) == NULL)
		error("could not create set: %s", strerror(errno));

	act.sa_sigaction = emt_handler;
	bzero(&act.sa_mask, sizeof(act.sa_mask));
	act.sa_flags = SA_RESTART | SA_SIGINFO;
	if (sigaction(SIGEMT, &act, NULL) == -1)
		error("sigaction: %s", strerror(errno));

	if ((index0 = cpc_set_add_request(
		     cpc, set, event, PRESET, CPC_COUNT_USER | CPC_OVF_NOTIFY_EMT, 0, NULL)) == -1)
		error("cannot add request to set: %s", strerror(errno));

	if ((buf = cpc_buf_create(cpc, set)) == NULL)
		error("cannot create buffer: %s", strerror(errno));

	if (cpc_bind_curlwp(cpc, set, 0) == -1)
		error("cannot bind lwp%u: %s", _lwp_self(), strerror(errno));

	for (iter = 1; iter <= 20; iter++) {
		/* ==> Computation to be measured goes here <== */
		touch_new_pages(500);
	}

	cpc_unbind(cpc, set); /* done */
	cpc_close(cpc);
	return (0);
}
