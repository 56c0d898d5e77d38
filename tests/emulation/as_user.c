/*
 * Runs a command as a user without any rights: as_user COMMAND [ARGUMENT...]
 */
#include <grp.h>
#include <stdio.h>
#include <unistd.h>

enum { ORDINARY_USER = 1000 };

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	if (setgroups(0, NULL) != 0 || setgid(ORDINARY_USER) != 0 || setuid(ORDINARY_USER) != 0) {
		perror("as_user");
		return 126;
	}
	execv(argv[1], argv + 1);
	perror(argv[1]);
	return 127;
}
