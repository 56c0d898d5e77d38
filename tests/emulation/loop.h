/*
 * Work of a known length: counts must equal the instructions executed.
 */
#ifndef SWT_TESTS_EMULATION_LOOP_H
#define SWT_TESTS_EMULATION_LOOP_H

#include <stdint.h>

enum { LOOP_INSTRUCTIONS = 2 }; /* of a turn */

static inline void loop_turns(uint64_t turns)
{
	__asm__ volatile("1:	subs	%0, %0, #1\n"
			 "	b.ne	1b\n"
			 : "+r"(turns)
			 :
			 : "cc");
}

#endif
