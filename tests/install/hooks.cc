// The hook macros from C++: every way to write one, and as an expression.
#include <perfutil.h>

#include <string>

static int evaluated;

static UINT32 once()
{
	return static_cast<UINT32>(++evaluated);
}

int main()
{
	const std::string text("with\0a NUL", 10);
	const UINT32 words[] = {1, 2, 3};
	const TRACE_STRING string = {text.data(), static_cast<UINT32>(text.size())};
	int rc = PU_SUCCESS;

	if (TraceHook(0x42, 1, 0, 0) != PU_SUCCESS)
		return 1;
	rc |= TraceHook(0x42, 2, 2, 1, 7, 8, text.c_str());
	rc |= TraceHookWords(0x42, 3, 3, words);
	rc |= TraceHookData(0x42, 4, 3, words, 1, &string);
	// Tracing is off here: what stands after the major is not even evaluated.
	rc |= TraceHook(0x42, once(), 0, 0);
	if (TraceMajorIsOn(0x42))
		return 2;
	return rc == PU_SUCCESS ? 0 : 3;
}
