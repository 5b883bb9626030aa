/* style - what the place where a table goes can show. */
#include "style.h"

#include "terminal.h"

#include <sys/ioctl.h>

struct table_style
table_style_of(int fd, bool again)
{
	struct table_style style = {
		.columns = terminal_columns(fd),
		.colour = terminal_has_colours(fd),
		.redraw = again && terminal_is_capable(fd),
	};
	struct winsize size;

	/* The cursor comes to stand on the line below the last one. */
	if (style.redraw && ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_row > 1)
		style.rows = size.ws_row - 1u;
	if (style.columns == 0)
		style.columns = TABLE_COLUMNS;
	return style;
}
