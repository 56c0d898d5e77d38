/* Defines labels and names, and is unloaded. */
#include "swtrace.h"

__attribute__((visibility("default"))) void work(void);
__attribute__((visibility("default"))) void leave_open(void);

void work(void)
{
	SWTRACE_SCOPE("of a plugin", SWT_U64("n", 1));
	SwtraceBegin("begun in a plugin");
	SwtraceEnd();
}

void leave_open(void)
{
	SwtraceBegin("left open by a plugin", SWT_U64("left", 1), SWT_STR("text", "its own"));
}
