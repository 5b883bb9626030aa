/* terminal - detects whether output goes to a terminal, and its colours and width. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "terminal.h"

#include "num.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool
terminal_is_capable(int fd)
{
	const char *term = getenv("TERM");
	return isatty(fd) && term != NULL && *term != '\0' && strcmp(term, "dumb") != 0;
}

bool
terminal_has_colours(int fd)
{
	const char *no_color = getenv("NO_COLOR");
	return terminal_is_capable(fd) && (no_color == NULL || *no_color == '\0');
}

unsigned
terminal_columns(int fd)
{
	const char *text = getenv("COLUMNS");
	uint64_t value;
	struct winsize size;

	if (text != NULL && num_parse_u64(text, TERMINAL_COLUMNS_MAX, &value) == NUM_OK &&
		value >= TERMINAL_COLUMNS_MIN)
		return (unsigned)value;
	if (!isatty(fd) || ioctl(fd, TIOCGWINSZ, &size) < 0)
		return 0;
	return size.ws_col;
}
