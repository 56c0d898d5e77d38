#include "progress.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../../formats/base/time_ns.h"
#include "../sink/escapes.h"

/* Milliseconds. Static: a process has one progress line. */
static struct {
	bool watched, shown;
	int64_t start, last;
	_Atomic uint64_t *shared; /* NULL: none */
} progress_line;

static int64_t now_ms(void)
{
	return (int64_t)(time_ns_monotonic() / TIME_MS_NS);
}

void progress_start(void)
{
	progress_line.watched = isatty(STDERR_FILENO);
	progress_line.start = progress_line.last = now_ms();
}

void progress_share(_Atomic uint64_t to[2])
{
	progress_line.shared = to;
}

void progress_show(const char *what, uint64_t done, uint64_t total)
{
	if (progress_line.shared) {
		atomic_store_explicit(&progress_line.shared[0], done, memory_order_relaxed);
		atomic_store_explicit(&progress_line.shared[1], total, memory_order_relaxed);
	}
	if (!progress_line.watched)
		return;
	int64_t now = now_ms();
	if (now - progress_line.start < 1000 ||
		(progress_line.shown && now - progress_line.last < 100))
		return;
	progress_line.last = now;
	progress_line.shown = true;
	struct out name;
	out_memory(&name);
	escape_text(&name, what, strnlen(what, 60));
	fprintf(stderr, "\rcpidecode: %.*s", (int)name.len, name.buf ? name.buf : "");
	out_discard(&name);
	if (total)
		fprintf(stderr, " %3.0f%%  ",
			100 * (double)(done < total ? done : total) / (double)total);
	else
		fprintf(stderr, " %" PRIu64 " MiB  ", done >> 20);
}

void progress_end(void)
{
	if (progress_line.shown)
		fprintf(stderr, "\r%80s\r", "");
	progress_line.shown = false;
}
