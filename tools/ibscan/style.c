/* style - what the place where a table goes can show. */
#include "style.h"

#include "num.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* $COLUMNS, or 0 when it is not set to what a terminal may have. */
static unsigned
columns_wanted(void)
{
	const char *text = getenv("COLUMNS");
	uint64_t value = 0;

	if (text == NULL || num_parse_u64(text, TABLE_COLUMNS_MAX, &value) != NUM_OK ||
		value < TABLE_COLUMNS_MIN)
		return 0;
	return (unsigned)value;
}

/* Whether it does more than print one line after the other. */
static bool
is_capable(void)
{
	const char *term = getenv("TERM");
	return term != NULL && *term != '\0' && strcmp(term, "dumb") != 0;
}

struct table_style
table_style_of(int fd, bool again)
{
	const char *no_color = getenv("NO_COLOR");
	bool terminal = fd >= 0 && isatty(fd);
	struct table_style style = {.columns = columns_wanted()};
	struct winsize size = {0};

	if (terminal && ioctl(fd, TIOCGWINSZ, &size) < 0)
		size = (struct winsize){0};
	if (terminal && is_capable()) {
		style.colour = no_color == NULL || *no_color == '\0';
		style.redraw = again;
	}
	/* The cursor comes to stand on the line below the last one. */
	if (style.redraw && size.ws_row > 1)
		style.rows = size.ws_row - 1u;
	if (style.columns == 0)
		style.columns = size.ws_col > 0 ? size.ws_col : TABLE_COLUMNS;
	return style;
}
