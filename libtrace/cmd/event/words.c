/*
 * event: words that describe events.
 */
#include "verb.h"

struct document *event_begin_document(struct print_stream *s, bool json)
{
	struct document *d = print_document_begin(s, stdout, json);

	d->before_label = "  ";
	d->label_width = 13;
	d->has_no_headings = true;
	return d;
}

void event_spell_wrmsr(struct out *o, uint64_t address, uint64_t value)
{
	out_printf(o, "       WRMSR 0x%08llx <- 0x%016llx", (unsigned long long)address,
		(unsigned long long)value);
}

const char *event_origin_name(enum cpc_event_origin origin)
{
	static const char *const names[] = {"generic", "sysfs", "raw", "libpfm4"};

	return names[origin];
}

const char *event_modes_name(const struct cpc_event *e)
{
	if (e->user && e->kernel)
		return "user mode and the kernel";
	return e->user ? "user mode" : "the kernel";
}
