/*
 * Runs the access matrix: each row in a new folder, the action in a child that has become the
 * actor, and compares the files before and after.
 *
 * As root it runs in a mount namespace with a private /dev/shm, so that the sessions of root and
 * other users are not touched. SWTRACE names the command.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "matrix.h"
#include "sandbox.h"

enum { ROW_SECONDS = 120, LEAST_ROWS = 40 };

struct box box;
static struct result *result; /* shared with the child */
static int ran, failed, skipped;
static int has; /* enum needs: available on this machine */

/* ------------------------------------------------------------------- the machine */

static bool own_shm(char *why, size_t size)
{
	if (unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
		mount("tmpfs", SHM_ROOT, "tmpfs", 0, "mode=1777,size=256m") == 0)
		return true;
	snprintf(why, size, "no mount namespace of one's own here (%s)", strerror(errno));
	return false;
}

static void copy(const char *from, const char *name)
{
	const char *to = path("%s/tools/%s", box.base, name);
	int in = open(from, O_RDONLY | O_CLOEXEC);
	int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
	char block[65536];
	ssize_t n = -1;

	while (in >= 0 && out >= 0 && (n = read(in, block, sizeof block)) > 0) {
		if (write(out, block, (size_t)n) != n)
			die("%s: %s", to, strerror(errno));
	}
	if (n < 0)
		die("%s: %s", from, strerror(errno));
	fchmod(out, 0755);
	close(in);
	close(out);
}

static void install_tool(const char *name, uid_t uid, gid_t gid, mode_t mode)
{
	const char *file = path("%s/tools/%s", box.base, name);

	copy("/proc/self/exe", name);
	if (chown(file, uid, gid) != 0 || chmod(file, mode) != 0)
		die("%s: %s", file, strerror(errno));
}

static void make_tools(void)
{
	const char *swtrace = getenv("SWTRACE");
	struct statvfs v;

	if (!swtrace)
		die("SWTRACE does not name the command");
	snprintf(box.base, sizeof box.base, SHM_ROOT "/swtrace-access.XXXXXX");
	if (!mkdtemp(box.base) || chmod(box.base, 0755) != 0)
		die("%s: %s", box.base, strerror(errno));
	if (mkdir(path("%s/tools", box.base), 0755) != 0)
		die("tools: %s", strerror(errno));
	copy(swtrace, "swtrace");
	copy("/proc/self/exe", "access");
	if (statvfs(box.base, &v) != 0 || !(has & NEEDS_ROOT) || (v.f_flag & ST_NOSUID))
		return;
	has |= NEEDS_SUID;
	install_tool("setuid", actor_uid(OWNER), actor_gid(OWNER), 04755);
	install_tool("setuid-root", 0, 0, 04755);
	install_tool("setgid", actor_uid(OWNER), FRIENDS, 02755);
}

static const char *lacks(int needs)
{
	static char why[200];
	int missing = needs & ~has;

	if (missing & NEEDS_ROOT)
		return "needs root, to become another user";
	if (missing & NEEDS_NAMESPACE)
		return "needs a /dev/shm of its own (root and mount namespaces)";
	snprintf(why, sizeof why, "%s does not honour set-user-ID", SHM_ROOT);
	return missing ? why : NULL;
}

/* ------------------------------------------------------------------------- a row */

static void act_as_row(const struct row *row)
{
	setpgid(0, 0);
	if (!actor_become(row->actor))
		_exit(97);
	umask(box.mask);
	if (box.env)
		setenv("SWTRACE_SESSION", box.env, 1);
	else
		unsetenv("SWTRACE_SESSION");
	row->action(row->argument, result);
	_exit(0);
}

static pid_t acting;

static void too_long(int signal_number)
{
	(void)signal_number;
	if (acting > 0) {
		kill(-acting, SIGKILL);
		kill(acting, SIGKILL);
	}
}

/* NULL, or a description of the error. */
static const char *verdict(const struct row *row, int status)
{
	static char why[2 * PATH_MAX];

	result->text[sizeof result->text - 1] = '\0';
	if (status)
		snprintf(why, sizeof why, "the actor ended with status %#x", (unsigned)status);
	else if (result->code != row->want)
		snprintf(why, sizeof why, "%d instead of %d (%s)", result->code, row->want,
			result->text);
	else if (row->says && !strstr(result->text, row->says))
		snprintf(why, sizeof why, "does not say \"%s\": %s", row->says, result->text);
	else if (row->action == do_command && row->want == 1 &&
		 strcspn(result->text, "\n") + 1 != strlen(result->text))
		snprintf(why, sizeof why, "not one line: %s", result->text);
	else
		return NULL;
	return why;
}

static const char *do_row(const struct row *row)
{
	int status;

	alarm(ROW_SECONDS); /* the test itself must not wait for a FIFO either */
	wipe();
	row->situation->make();
	note_hooks();
	char *before = fingerprint(true), *lax = fingerprint(false);
	memset(result, 0, sizeof *result);
	fflush(stdout);
	acting = fork();
	if (acting == 0)
		act_as_row(row);
	alarm(ROW_SECONDS);
	while (waitpid(acting, &status, 0) < 0 && errno == EINTR)
		;
	kill(-acting, SIGKILL);
	acting = 0;
	alarm(ROW_SECONDS);
	const char *why = verdict(row, status);
	if (!why)
		why = judge(row, before, lax);
	alarm(0);
	free(before);
	free(lax);
	return why;
}

static void report(const struct row *row, const char *verdict, const char *why)
{
	printf("%s: %s: %s | %s%s%s | %d%s%s\n", verdict, row->name, row->situation->text,
		actor_name(row->actor), row->argument ? " | " : "",
		row->argument ? row->argument : "", row->want, why ? " | " : "", why ? why : "");
}

static void do_table(const struct table *table, const char *only)
{
	printf("-- %s: case | situation | actor | action | result\n", table->title);
	for (size_t i = 0; i < table->count; i++) {
		const struct row *row = &table->rows[i];
		const char *lack = lacks(row->needs | row->situation->needs |
					 (row->actor == OWNER ? 0 : NEEDS_ROOT));

		if (only && strcmp(only, row->name) != 0)
			continue;
		if (lack) {
			skipped++;
			printf("skipped: %s: %s\n", row->name, lack);
			continue;
		}
		const char *why = do_row(row);
		ran++;
		failed += why != NULL;
		report(row, why ? "not ok" : "ok", why);
	}
}

static int matrix(const char *only)
{
	const struct table *const tables[] = {
		&who_table, &files_table, &place_table, &inside_table, &drain_table, &world_table};
	char why[200];
	bool is_root = geteuid() == 0;

	if (is_root && actors_prepare(why, sizeof why))
		has |= NEEDS_ROOT;
	else if (is_root)
		printf("note: %s\n", why);
	if (is_root && own_shm(why, sizeof why))
		has |= NEEDS_NAMESPACE;
	else if (is_root)
		printf("note: %s\n", why);
	box.has_namespace = has & NEEDS_NAMESPACE;
	make_tools();
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		do_table(tables[i], only);
	printf("%d cases: %d passed, %d failed, %d skipped\n", ran + skipped, ran - failed, failed,
		skipped);
	if (!only && (has & NEEDS_NAMESPACE) && ran < LEAST_ROWS) {
		printf("not ok: only %d cases ran as root\n", ran);
		failed++;
	}
	remove_base();
	printf("%s", failed ? "some cases have another result than they must have\n" : "");
	return failed != 0;
}

int main(int argc, char **argv)
{
	struct sigaction alarmed = {.sa_handler = too_long};

	if (argc == 2 && strstr(argv[0], "/tools/"))
		return program_main(argc, argv);
	setvbuf(stdout, NULL, _IOLBF, 0);
	result = box_shared(sizeof *result);
	sigaction(SIGALRM, &alarmed, NULL);
	return matrix(argc > 1 ? argv[1] : NULL);
}
