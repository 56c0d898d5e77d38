/*
 * Made-up /sys trees with the PMUs of other machines.
 */
#ifndef TESTS_EVENT_TREE_H
#define TESTS_EVENT_TREE_H

enum tree { TREE_NONE, TREE_INTEL, TREE_AMD, TREE_ARM, TREE_HYBRID, TREE_ODD, TREES };

/* Makes them, below a new directory; removes them. */
void trees_make(void);
void trees_remove(void);
/* event_sysfs_set for this one. */
void tree_use(enum tree tree);

#endif
