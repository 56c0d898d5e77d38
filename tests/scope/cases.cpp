// Light intervals in C++: exceptions end them.
#include <stdexcept>
#include <string>

#include "swtrace.h"

template <typename T> static T doubled(T v)
{
	SWTRACE_SCOPE("template", SWT_I64("v", v));
	return 2 * v;
}

static void throws()
{
	SWTRACE_SCOPE("thrown through", SWT_STR("s", "text"));
	throw std::runtime_error("on purpose");
}

int main()
{
	SWTRACE_SCOPE("main");
	try {
		throws();
	} catch (const std::runtime_error &) {
		SWTRACE_SCOPE("caught");
	}
	{
		SWTRACE_SCOPE("temporary", SWT_STR("s", (std::string("a text that is no ") + "longer there").c_str()));
		SwtraceBegin("begun", SWT_STR("s", std::string(40, 'y').c_str()));
		SwtraceEnd();
	}
	[] { SWTRACE_SCOPE("lambda"); }();
	return doubled(1) + static_cast<int>(doubled(2L)) == 6 ? 0 : 1;
}
