/* The trace that a test builds: empty when it begins, freed when it ends. */
#ifndef SWT_TESTS_DECODER_BUILT_H
#define SWT_TESTS_DECODER_BUILT_H

#include "../lib/suites.h"
#include "../lib/trace_build.h"

static struct bytes built;

static inline void built_free(void)
{
	bytes_free(&built);
}

/* SUITE_MAIN of tests that build it. */
#define BUILT_MAIN(name, ...)                                                                      \
	int main(void)                                                                             \
	{                                                                                          \
		return suites_run(                                                                 \
			SUITE(name, .timeout = 300, .tear_down = built_free, TESTS(__VA_ARGS__)),  \
			NULL);                                                                     \
	}

#endif
