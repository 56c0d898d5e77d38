/*
 * Opens a session for a verb, and cleans up after killed runs.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../../formats/base/time_ns.h"
#include "../../include/perfutil.h"
#include "../dump/output.h"
#include "cmd.h"

int cmd_open(const struct verb *verb, struct session *s, int flags)
{
	struct session_location location;
	struct session_error error = {"unknown error"};
	int rc = session_find(&location, &error);

	if (rc == 0)
		rc = session_open(s, &location, flags, &error);
	if (rc == PU_ERROR_DRIVER_NOT_LOADED)
		return cmd_fail(
			verb, "there is no trace session (%s); swtrace init makes one", error.text);
	return rc ? cmd_fail(verb, "%s", error.text) : EXIT_FINE;
}

int cmd_check_output(const struct verb *verb, const char *path)
{
	struct session_error error = {"output: not enough memory"};
	struct stat st;

	if (strcmp(path, "-") == 0)
		return EXIT_FINE;
	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return cmd_fail(verb, "%s: is a directory; name a file", path);
	/* Opening a FIFO waits for its reader: open it only when it is needed. */
	if (!output_is_file(path))
		return EXIT_FINE;
	struct output *o = malloc(sizeof *o);
	int rc = o ? output_open(o, path, &error) : PU_ERROR_NOT_ENOUGH_MEMORY;
	if (rc == 0)
		output_abandon(o);
	free(o);
	return rc ? cmd_fail(verb, "%s", error.text) : EXIT_FINE;
}

bool cmd_reader_is_gone(void)
{
	struct pollfd p = {.fd = STDOUT_FILENO, .events = POLLOUT};

	return poll(&p, 1, 0) > 0 && p.revents & (POLLERR | POLLHUP);
}

int cmd_fail_output(const struct verb *verb, const char *path, const char *why)
{
	if (strcmp(path, "-") == 0 && cmd_reader_is_gone())
		return EXIT_FAILED;
	return cmd_fail(verb, "%s", why);
}

bool cmd_fail_writing(const struct verb *verb, const struct output *to, const char *why)
{
	if (to->why != EPIPE)
		cmd_fail(verb, "%s", why);
	return true;
}

int cmd_finish_output(const struct verb *verb, struct output *to, bool has_failed)
{
	struct session_error error = {"unknown error"};

	if (has_failed)
		output_abandon(to);
	else if (output_finish(to, &error))
		has_failed = cmd_fail_writing(verb, to, error.text);
	return has_failed ? EXIT_FAILED : EXIT_FINE;
}

void cmd_warn_if_elsewhere(const struct verb *verb, const struct session *s)
{
	struct session_location used;

	if (session_find(&used, NULL) == 0 && strcmp(used.dir, s->location.dir) != 0)
		cmd_note(verb,
			"your programs trace in %s (%s); SWTRACE_SESSION=%s makes them use this one",
			used.dir, used.why, s->location.dir);
}

void cmd_warn_if_short(const struct verb *verb, const struct session *s)
{
	uint64_t available, missing = session_shortage(s, &available);

	if (missing)
		cmd_note(verb,
			"full buffers need %llu KiB more than the %llu KiB now free in %s: hooks without memory will be lost and counted",
			(unsigned long long)(missing + 1023) >> 10,
			(unsigned long long)available >> 10, s->location.dir);
}

void cmd_tell_tracing(const struct verb *verb, int major)
{
	if (!IsTraceOn())
		cmd_note(verb, "tracing is off, so no hooks are written: swtrace on turns it on");
	else if (TraceQueryMajor(major) != 1)
		cmd_note(verb,
			"major 0x%02X is disabled, so no hooks are written: swtrace enable 0x%02X enables it",
			(unsigned)major, (unsigned)major);
}

void cmd_note_untraced(const struct verb *verb, const char *command)
{
	cmd_note(verb,
		"%.*s wrote no hooks: check that it is linked with libswtrace (ldd), reaches its CpiGetAndTrace or TraceHook calls, keeps SWTRACE_SESSION in its environment (sudo and env -i drop it), and sees that directory (a chroot needs /dev/shm mounted)",
		(int)strcspn(command, " "), command);
}

void cmd_note_filled(const struct verb *verb, const char *kept, uint64_t lost)
{
	cmd_note(verb, "the buffers filled: %slost %llu: " FILLED_ADVICE, kept,
		(unsigned long long)lost);
}

bool cmd_is_on(const struct session *s)
{
	return session_is_on(s);
}

const char *cmd_state_name(uint32_t state)
{
	static const char *const names[] = {"no buffers", "off", "on", "suspended"};

	return state < sizeof names / sizeof *names ? names[state] : "unknown";
}

const char *cmd_mode_name(uint32_t mode)
{
	static const char *const names[] = {"norm", "wrap", "cont"};

	return mode < sizeof names / sizeof *names ? names[mode] : "unknown";
}

bool cmd_may_colour(void)
{
	const char *no = getenv("NO_COLOR");

	return !(no && *no);
}

const char *cmd_colour(FILE *f, const char *code)
{
	const char *terminal = getenv("TERM");
	bool dumb = !terminal || !*terminal || strcmp(terminal, "dumb") == 0;

	return !cmd_may_colour() || dumb || !isatty(fileno(f)) ? "" : code;
}

/* -------------------------------------------------------- private sessions left behind */

/*
 * `run` makes its directory and then locks it. Younger directories than this may not be locked yet.
 */
enum { SETTLED_SECONDS = 10 };

static bool left_behind(int dir)
{
	struct stat st;

	if (fstat(dir, &st) || st.st_uid != geteuid() || time(NULL) - st.st_mtime < SETTLED_SECONDS)
		return false;
	int lock = openat(dir, RUNNER_LOCK_NAME, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	if (lock < 0)
		return errno == ENOENT;
	bool is_free = flock(lock, LOCK_EX | LOCK_NB) == 0;
	close(lock);
	return is_free;
}

/* Removes files only: if another process added a directory, it stays, and its parent with it. */
static void remove_directory(int root, int dir, const char *name)
{
	int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = copy < 0 ? NULL : fdopendir(copy);
	const struct dirent *e;

	if (!d) {
		if (copy >= 0)
			close(copy);
		return;
	}
	while ((e = readdir(d)))
		unlinkat(dir, e->d_name, 0);
	closedir(d);
	unlinkat(root, name, AT_REMOVEDIR);
}

void cmd_sweep(void)
{
	char prefix[64];
	DIR *root = opendir(SHM_ROOT);
	const struct dirent *e;

	int n = snprintf(prefix, sizeof prefix, "swtrace.%u.run.", (unsigned)geteuid());
	while (root && (e = readdir(root))) {
		if (strncmp(e->d_name, prefix, (size_t)n) != 0)
			continue;
		int dir = openat(
			dirfd(root), e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (dir < 0)
			continue;
		if (left_behind(dir))
			remove_directory(dirfd(root), dir, e->d_name);
		close(dir);
	}
	if (root)
		closedir(root);
}

uint64_t cmd_unix_time(const struct session *s, uint64_t stamp)
{
	uint64_t sync[3], rate = s->geometry.ticks_per_second;

	session_sync_clock(s, sync);
	bool before = stamp < sync[0];
	uint64_t ticks = before ? sync[0] - stamp : stamp - sync[0];
	uint64_t ns = time_ticks_to_ns(ticks, rate);
	if (ns > INT64_MAX / 4 || (before && ns > sync[1]))
		return 0;
	return before ? sync[1] - ns : sync[1] + ns;
}
