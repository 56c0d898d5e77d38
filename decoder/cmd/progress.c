#include "progress.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../../formats/base/time_ns.h"
#include "../sink/escape.h"

/* Milliseconds. Static: a process has one progress line. */
static struct {
	bool watched, shown;
	int64_t start, last;
	_Atomic uint64_t *shared; /* NULL: none */
} line;

static int64_t now_ms(void)
{
	return (int64_t)(time_ns_monotonic() / 1000000);
}

void progress_start(void)
{
	line.watched = isatty(STDERR_FILENO);
	line.start = line.last = now_ms();
}

void progress_share(_Atomic uint64_t to[2])
{
	line.shared = to;
}

void progress_show(const char *what, uint64_t done, uint64_t total)
{
	if (line.shared) {
		atomic_store_explicit(&line.shared[0], done, memory_order_relaxed);
		atomic_store_explicit(&line.shared[1], total, memory_order_relaxed);
	}
	if (!line.watched)
		return;
	int64_t now = now_ms();
	if (now - line.start < 1000 || (line.shown && now - line.last < 100))
		return;
	line.last = now;
	line.shown = true;
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
	if (line.shown)
		fprintf(stderr, "\r%80s\r", "");
	line.shown = false;
}
