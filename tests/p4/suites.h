#ifndef TEST_SUITES_H
#define TEST_SUITES_H

#include "../../libtrace/p4/p4.h"
#include "../lib/suites.h"

Suite *tables_suite(void);
Suite *encode_suite(void);
Suite *reject_suite(void);
Suite *assign_suite(void);
Suite *complete_suite(void);

/* A request that must parse, for any model. */
struct p4_request request_of(const char *text);

#endif
