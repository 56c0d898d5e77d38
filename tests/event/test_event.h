#ifndef TESTS_EVENT_TEST_EVENT_H
#define TESTS_EVENT_TEST_EVENT_H

#include <check.h>

void add_find(Suite *suite);
void add_format(Suite *suite);
void add_list(Suite *suite);
void add_walk(Suite *suite);
void add_registers(Suite *suite);

#endif
