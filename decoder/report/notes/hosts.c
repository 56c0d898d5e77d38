/* Notes of the hosts of merged partial results. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/text.h"
#include "../../sink/escapes.h"
#include "../../sink/units.h"
#include "notes.h"

enum { HOSTS_TOLD = 10 };

struct notes_host {
	const char *name;
	size_t files;
	double error; /* NAN: unknown */
};

static int hosts_compare_names(const void *a, const void *b)
{
	const struct notes_host *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* The largest error first; unknown ones before. */
static int hosts_compare_errors(const void *a, const void *b)
{
	const struct notes_host *x = a, *y = b;

	if (isnan(x->error) != isnan(y->error))
		return isnan(x->error) ? -1 : 1;
	if (!isnan(x->error) && x->error != y->error)
		return x->error > y->error ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* Sources without a host or hooks do not count. */
static size_t hosts_gather(const struct partial *p, struct notes_host *hosts)
{
	size_t n = 0, kept = 0;

	for (size_t i = 0; i < p->nsources; i++) {
		const struct partial_source *s = &p->sources[i];

		if (s->host && s->has_hooks)
			hosts[n++] = (struct notes_host){s->host, 1,
				s->time_error_ns == PARTIAL_NO_ERROR ? (double)NAN
								     : (double)s->time_error_ns};
	}
	if (n)
		qsort(hosts, n, sizeof *hosts, hosts_compare_names);
	for (size_t i = 0; i < n; i++) {
		struct notes_host *last = kept ? &hosts[kept - 1] : NULL;

		if (!last || strcmp(last->name, hosts[i].name) != 0) {
			hosts[kept++] = hosts[i];
			continue;
		}
		last->files++;
		if (isnan(hosts[i].error) || hosts[i].error > last->error)
			last->error = hosts[i].error;
	}
	if (kept)
		qsort(hosts, kept, sizeof *hosts, hosts_compare_errors);
	return kept;
}

static void hosts_spell(struct out *o, const struct notes_host *host)
{
	out_str(o, "host ");
	escape_text(o, host->name, strlen(host->name));
	out_printf(o, ": %zu file%s, ", host->files, text_plural(host->files));
	if (isnan(host->error)) {
		out_str(o, "error of times unknown");
	} else {
		out_str(o, "times within ");
		units_duration(o, host->error);
		out_str(o, " of its CLOCK_REALTIME");
	}
	out_char(o, '\0');
}

void notes_hosts(notes_say say, const struct partial *p)
{
	struct notes_host *hosts = calloc(p->nsources + 1, sizeof *hosts);
	size_t n = hosts ? hosts_gather(p, hosts) : 0;
	struct out text;

	for (size_t i = 0; n > 1 && i < n && i < HOSTS_TOLD; i++) {
		out_memory(&text);
		hosts_spell(&text, &hosts[i]);
		say("%s", text.error ? "" : text.buf);
		out_discard(&text);
	}
	if (n > HOSTS_TOLD)
		say("%zu more hosts, with errors no larger", n - HOSTS_TOLD);
	if (n > 1) {
		out_memory(&text);
		out_printf(&text, "clocks of %zu hosts ", n);
		if (isnan(hosts[0].error)) {
			out_str(&text, "agree to within an unknown time");
		} else {
			out_str(&text, "agree to within ");
			units_duration(&text, hosts[0].error + hosts[1].error);
			out_str(&text, " as far as the traces show");
		}
		out_str(&text, " (NTP's own error is not known)");
		out_char(&text, '\0');
		say("%s", text.error ? "" : text.buf);
		out_discard(&text);
	}
	free(hosts);
}
