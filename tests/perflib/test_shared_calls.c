#include "shared.h"
Suite *calls_suite(void) { return suite_create("calls"); }
