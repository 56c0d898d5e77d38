#include "shared.h"
Suite *values_suite(void) { return suite_create("values"); }
