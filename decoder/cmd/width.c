#include "width.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../../formats/base/number.h"

unsigned width_of_terminal(int fd)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	uint64_t n;

	if (!isatty(fd))
		return 0;
	if (columns && number_parse(columns, 10, UINT16_MAX, &n) && n)
		return (unsigned)n;
	return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}
