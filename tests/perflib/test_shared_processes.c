#include "shared.h"
Suite *processes_suite(void) { return suite_create("processes"); }
