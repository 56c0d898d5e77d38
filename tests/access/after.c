/*
 * Checks afterwards: compares everything below the test's folder with what was there before.
 */
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "matrix.h"
#include "sandbox.h"

/* ---------------------------------------------------------------- fingerprint */

static FILE *listing;
static bool with_contents;

static uint64_t contents(const char *name)
{
	static uint64_t block[8192];
	int fd = open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
	uint64_t sum = 1469598103934665603u;
	ssize_t n;

	if (fd < 0)
		return 0;
	while ((n = read(fd, block, sizeof block)) > 0) {
		if (n % 8)
			memset((char *)block + n, 0, (size_t)(8 - n % 8));
		for (ssize_t i = 0; i < (n + 7) / 8; i++)
			sum = (sum ^ block[i]) * 1099511628211u;
	}
	close(fd);
	return sum;
}

/* The files that every member of a session may write. */
static bool members_file(const char *name)
{
	static const char *const files[] = {
		"/rings.", "/tasks.", "/schemas.", "/labels.", "/cgroups.", "/locks."};
	const char *slash = strrchr(name, '/');

	for (size_t i = 0; slash && i < sizeof files / sizeof *files; i++)
		if (strncmp(slash, files[i], strlen(files[i])) == 0)
			return true;
	return false;
}

static int list_one(const char *name, const struct stat *st, int type, struct FTW *ftw)
{
	(void)type;
	if (ftw->level == 0 || strstr(name, "/tools"))
		return 0;
	fprintf(listing, "%s %o %u:%u %" PRIu64, name, (unsigned)st->st_mode, (unsigned)st->st_uid,
		(unsigned)st->st_gid, (uint64_t)st->st_ino);
	if (!S_ISDIR(st->st_mode))
		fprintf(listing, " %u", (unsigned)st->st_nlink);
	if (S_ISREG(st->st_mode))
		fprintf(listing, " %" PRIu64 " %" PRIx64, (uint64_t)st->st_size,
			with_contents || !members_file(name) ? contents(name) : 0);
	fputc('\n', listing);
	return 0;
}

char *fingerprint(bool members_contents)
{
	char *text = NULL;
	size_t size;

	listing = open_memstream(&text, &size);
	with_contents = members_contents;
	if (!listing)
		die("memory");
	nftw(box.has_namespace ? SHM_ROOT : box.base, list_one, 16, FTW_PHYS);
	fclose(listing);
	return text;
}

static bool is_below(const char *line, const char *dir)
{
	return dir && strncmp(line, dir, strlen(dir)) == 0 && strchr("/ ", line[strlen(dir)]);
}

/* The first line of `a` that `b` and `except` lack. NULL: none. */
static const char *missing(const char *a, const char *b, const char *except)
{
	static char line[PATH_MAX + 200];

	while (*a) {
		size_t n = strcspn(a, "\n");
		bool skip = is_below(a, except) || is_below(a, box.later);

		snprintf(line, sizeof line, "%.*s\n", (int)n, a);
		const char *found = strstr(b, line);
		while (found && found != b && found[-1] != '\n')
			found = strstr(found + 1, line);
		if (!found && !skip) {
			line[strcspn(line, "\n")] = '\0';
			return line;
		}
		a += n + 1;
	}
	return NULL;
}

static const char *changed(const char *before, bool members_contents, const char *except)
{
	static char text[PATH_MAX + 300];
	char *now = fingerprint(members_contents);
	const char *gone = missing(before, now, except);
	const char *new = gone ? NULL : missing(now, before, except);

	snprintf(text, sizeof text, "%s: %s", gone ? "was" : "is new", gone ? gone : new);
	free(now);
	return gone || new ? text : NULL;
}

/* -------------------------------------------------------------------- sessions */

bool session_state(const char *dir, unsigned *state, unsigned long *hooks)
{
	struct session_location location = {.owner = (uid_t)-1};
	struct account a;
	struct session s;

	if (snprintf(location.dir, sizeof location.dir, "%s", dir) >= (int)sizeof location.dir)
		return false;
	*hooks = 0;
	if (session_open(&s, &location, SESSION_READ, NULL) != 0)
		return false;
	*state = s.control->state;
	if (s.rings_fd >= 0) {
		box_account(&s, &a, NULL, NULL);
		*hooks = a.hooks;
	}
	session_close(&s);
	return true;
}

static unsigned long hooks_before;

void note_hooks(void)
{
	unsigned state;

	session_state(box.dir, &state, &hooks_before);
}

static const char *state_is(unsigned want)
{
	unsigned state;
	unsigned long hooks;

	if (!session_state(box.dir, &state, &hooks))
		return "the session cannot be opened any more";
	return state == want ? NULL : "the session is not in that state";
}

static const char *hooks_are(unsigned long want)
{
	unsigned state;
	unsigned long hooks;

	if (!session_state(box.dir, &state, &hooks))
		return "the session cannot be opened any more";
	return hooks == want ? NULL : "hooks more or less";
}

/* Only the actor has access to the directory and the control page. */
static const char *is_private(const char *dir, uid_t uid)
{
	struct stat st;

	if (lstat(dir, &st) != 0)
		return "no directory was made";
	if (!S_ISDIR(st.st_mode) || (st.st_mode & 07777) != 0700 || st.st_uid != uid)
		return "the directory is not the actor's alone";
	if (lstat(path("%s/control", dir), &st) != 0)
		return "no control page was made";
	if (!S_ISREG(st.st_mode) || (st.st_mode & 07777) != 0600 || st.st_uid != uid)
		return "the control page is not the actor's alone";
	return NULL;
}

static int owner_goes_on(void)
{
	struct session_config config = {
		.ring_bytes = 65536, .section_bytes = 4096, .group = (gid_t)-1};
	struct session_location location;
	struct session s;

	umask(022);
	setenv("SWTRACE_SESSION", box.dir, 1);
	if (session_find(&location, NULL) != 0 ||
		session_open(&s, &location, SESSION_CONTROL, NULL) != 0)
		return 1;
	if (s.control->state == SHM_NO_RINGS && session_init(&s, &config, NULL) != 0)
		return 2;
	if (s.control->state == SHM_OFF && session_on(&s, NULL) != 0)
		return 3;
	unsigned long hooks;
	unsigned state;
	if (!session_state(box.dir, &state, &hooks_before) || TraceHookWords(1, 1, 0, NULL) != 0 ||
		!session_state(box.dir, &state, &hooks) || hooks != hooks_before + 1)
		return 4;
	return session_off(&s, NULL) ? 5 : session_init(&s, &config, NULL) ? 6 : 0;
}

static const char *owner_can(void)
{
	static char text[80];
	int step = actor_does(OWNER, owner_goes_on);

	snprintf(text, sizeof text, "the owner's session no longer works: step %d", step);
	return step ? text : NULL;
}

static const char *verb;

static int run_verb(void)
{
	struct result r = {0};

	setenv("SWTRACE_SESSION", box.dir, 1);
	do_command(verb, &r);
	return r.code;
}

static const char *commands_end(void)
{
	static const char *const verbs[] = {"info", "maj", "dump /dev/null", "off", "info", "on",
		"dump /dev/null", "free", "init -s 1", "on", "info", "dump /dev/null"};
	static char text[80];

	for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
		verb = verbs[i];
		int code = actor_does(OWNER, run_verb);
		if (code > 1 || (i > 7 && code)) {
			snprintf(text, sizeof text, "swtrace %s then exits with %d", verb, code);
			return text;
		}
	}
	return NULL;
}

const char *judge(const struct row *row, const char *before, const char *before_lax)
{
	const char *own = path(SHM_DIR_FORMAT, (unsigned)actor_uid(row->actor));
	const char *why = NULL;

	switch (row->after) {
	case SAME:
		return changed(before, true, NULL);
	case OWN:
		why = is_private(own, actor_uid(row->actor));
		return why ? why : changed(before, true, own);
	case MADE:
		why = is_private(box.dir, actor_uid(row->actor));
		return why ? why : changed(before, true, box.dir);
	case OWNERS:
		why = is_private(box.dir, actor_uid(OWNER));
		return why ? why : changed(before, true, box.dir);
	case EMPTY:
		why = state_is(SHM_ON);
		return why ? why : hooks_are(0);
	case ONE_HOOK:
		why = hooks_are(hooks_before + 1);
		return why ? why : changed(before_lax, false, NULL);
	case MEMBERS:
		return changed(before_lax, false, NULL);
	case ON:
		return state_is(SHM_ON);
	case OFF:
		return state_is(SHM_OFF);
	case GONE:
		why = state_is(SHM_NO_RINGS);
		return why ? why : changed(before, true, box.dir);
	case OWNER_CAN:
		return owner_can();
	case COMMANDS:
		return commands_end();
	case OTHERS:
		break;
	}
	return changed(before, true, box.dir);
}
