/*
 * The provider's side of its file: made, mapped, grown, removed.
 *
 * Space is allocated before it is mapped, so a full /dev/shm is an error and no bus error. The
 * addresses of the largest file are reserved at once, as memory of this process: what is in the
 * file never moves, and a late store beyond its end is harmless.
 */
#ifndef SWT_PERFLIB_SHARED_OFFER_FILE_H
#define SWT_PERFLIB_SHARED_OFFER_FILE_H

#include "place.h"

struct offer_file {
	uint8_t *base;	/* of PROV_FILE_MAX addresses, kept for the next file; NULL: none yet */
	void *life;	/* keeps the lock's file description open */
	uint32_t bytes; /* allocated */
	int fd;		/* for growing; the program may have closed it */
	dev_t device;
	ino_t inode;
	char name[PLACE_NAME_BYTES];
	struct session_place place;
};

/* Removes files of dead providers of this user, makes a new one of PROV_HEADER_BYTES and maps it.
 * ERROR_SUCCESS, ERROR_ACCESS_DENIED, ERROR_NOT_ENOUGH_MEMORY, ERROR_INVALID_PARAMETER
 * (SWTRACE_COUNTERSETS), ERROR_NOT_SUPPORTED (the kernel or the file system has no proof of life).
 */
uint32_t offer_file_make(struct offer_file *f, const GUID *provider);

/* At least so many bytes. ERROR_SUCCESS, ERROR_NOT_ENOUGH_MEMORY, ERROR_ACCESS_DENIED. */
uint32_t offer_file_grow(struct offer_file *f, uint32_t bytes);

/* Who else may read it. ERROR_SUCCESS, ERROR_ACCESS_DENIED. */
uint32_t offer_file_share(struct offer_file *f, bool everyone);

/* Removes it. Its addresses stay, as memory that takes what a late store writes there. */
void offer_file_remove(struct offer_file *f);

/* In a forked child: lets go of the parent's. Async-signal-safe. */
void offer_file_forget(struct offer_file *f);

#endif
