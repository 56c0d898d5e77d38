/*
 * From the kernel's overflow signal to SIGEMT. perf sends CPC_SIGNAL to the thread. The handler
 * stops the group and queues SIGEMT, which the kernel delivers when the handler returns, so the
 * program's handler sees the interrupted context.
 */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "cpc.h"

static struct sigaction before; /* the action that CPC_SIGNAL had before */

static void *interrupted_at(const ucontext_t *context)
{
#if defined(__x86_64__)
	return (void *)context->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
	return (void *)context->uc_mcontext.pc;
#else
	(void)context;
	return NULL;
#endif
}

/* The kernel accepts any si_code in a signal that a thread sends to its own process. */
int overflow_tell(void *address)
{
	siginfo_t info;

	memset(&info, 0, sizeof info);
	info.si_signo = SIGEMT;
	info.si_code = EMT_CPCOVF;
	info.si_addr = address;
	return syscall(SYS_rt_tgsigqueueinfo, getpid(), (pid_t)syscall(SYS_gettid), SIGEMT,
		       &info) == 0
		       ? 0
		       : -errno;
}

static int overflow_member_of_fd(const struct binding *b, int fd)
{
	for (unsigned i = 0; b && i < b->notifying; i++)
		if (b->group.member[i].fd == fd)
			return (int)i;
	return -1;
}

/* Passes a foreign signal to the previous handler. Without one, drops a late notice of an unbound
 * set; any other signal gets the default action and ends the process. */
static void pass_on(int number, siginfo_t *info, void *context)
{
	if (before.sa_flags & SA_SIGINFO) {
		before.sa_sigaction(number, info, context);
	} else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
		before.sa_handler(number);
	} else if (before.sa_handler == SIG_DFL && info->si_code <= 0) {
		signal(number, SIG_DFL);
		syscall(SYS_tgkill, getpid(), (pid_t)syscall(SYS_gettid), number);
	}
}

static void overflow_catch_signal(int number, siginfo_t *info, void *context)
{
	struct binding *b = binding_mine();
	int saved = errno, member = -1;

	if (info->si_code == POLL_IN || info->si_code == POLL_HUP)
		member = overflow_member_of_fd(b, info->si_fd);
	if (member < 0) {
		pass_on(number, info, context);
		errno = saved;
		return;
	}
	counting_stop(b);
	if (info->si_code == POLL_HUP)
		b->armed[member] = false;
	if (!b->frozen) {
		b->frozen = true;
		overflow_tell(interrupted_at(context));
	}
	errno = saved;
}

/* Checks at each bind: the program may have installed a handler since, which then gets foreign
 * signals. */
int overflow_prepare(void)
{
	struct sigaction now,
		ours = {.sa_sigaction = overflow_catch_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
	sigset_t blocked;

	if (sigaction(CPC_SIGNAL, NULL, &now) != 0)
		return -errno;
	if (!(now.sa_flags & SA_SIGINFO) || now.sa_sigaction != overflow_catch_signal) {
		before = now;
		sigfillset(&ours.sa_mask);
		if (sigaction(CPC_SIGNAL, &ours, NULL) != 0)
			return -errno;
	}
	sigemptyset(&blocked);
	sigaddset(&blocked, CPC_SIGNAL);
	return -pthread_sigmask(SIG_UNBLOCK, &blocked, NULL);
}

int overflow_direct(const struct binding *b)
{
	const struct f_owner_ex me = {F_OWNER_TID, (pid_t)syscall(SYS_gettid)};

	for (unsigned i = 0; i < b->notifying; i++) {
		int fd = b->group.member[i].fd, flags = fcntl(fd, F_GETFL);

		if (flags < 0 || fcntl(fd, F_SETOWN_EX, &me) != 0 ||
			fcntl(fd, F_SETSIG, CPC_SIGNAL) != 0 ||
			fcntl(fd, F_SETFL, flags | O_ASYNC) != 0)
			return -errno;
	}
	return 0;
}
