/* Folders that a test makes and removes. */
#ifndef SWT_TESTS_LIB_FOLDER_H
#define SWT_TESTS_LIB_FOLDER_H

#include <ftw.h>
#include <stdio.h>

static inline int folder_remove_one(
	const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void)st, (void)type, (void)where;
	return remove(path);
}

/* With all that is in it; links are not followed. */
static inline void folder_remove(const char *path)
{
	nftw(path, folder_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

#endif
