/* The sanitizer that a test is built with. */
#ifndef TESTS_SANITIZED_H
#define TESTS_SANITIZED_H

#ifndef __has_feature /* gcc's defines macros in its place */
#define __has_feature(name) 0
#endif

#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
#define WITH_TSAN 1
#else
#define WITH_TSAN 0
#endif

#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#define WITH_ASAN 1
#else
#define WITH_ASAN 0
#endif

/* Everything is slower then; and a child that is forked while another thread allocates may find
 * the sanitizer's allocator locked for ever. A build for a slow machine (tests/emulation) says so
 * itself. */
#ifndef SANITIZED
#if WITH_TSAN || WITH_ASAN || __has_feature(memory_sanitizer)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif
#endif

#endif
