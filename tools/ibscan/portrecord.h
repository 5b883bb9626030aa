/* portrecord - the record of a port (records#scan-records), written as text: there is one for each
 * port in each scan, and a tree that is made and printed takes longer than reading the port. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBSCAN_PORTRECORD_H
#define IBSCAN_PORTRECORD_H

#include "ibscan.h"

struct portrecord_setting {
	uint64_t scan;
	const char *device;
	bool gids;  /* with the counts of the GID table */
	bool extra; /* for an extra scan */
};

/* The latest reading of the port as a line with its newline, in place of what is in `line`. 0, or
 * -1 when memory runs out. */
int portrecord_line(
	struct strbuf *line, const struct port *port, const struct portrecord_setting *setting);

#endif
