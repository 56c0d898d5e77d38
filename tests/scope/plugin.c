/* Defines labels and names, and is unloaded. */
#include "swtrace.h"

__attribute__((visibility("default"))) void work(void);

void work(void)
{
	SWTRACE_SCOPE("of a plugin", SWT_U64("n", 1));
	SwtraceBegin("begun in a plugin");
	SwtraceEnd();
}
