#include "shared.h"
Suite *hostile_suite(void) { return suite_create("hostile"); }
