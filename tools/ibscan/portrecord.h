/* portrecord - formats the record of a port (records#scan-records) directly as text. Each scan has
 * one per port, and building and printing a JSON tree takes longer than reading the port. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBSCAN_PORTRECORD_H
#define IBSCAN_PORTRECORD_H

#include "ibscan.h"

struct portrecord_setting {
	uint64_t scan;
	const char *device;
	bool gids;  /* append the counts of the GID table */
	bool extra; /* belongs to an extra scan */
};

/* Replace `line` by the port's latest reading as a line with its newline, and update the port's
 * `middle`. Return 0, or -1 when memory runs out. */
int portrecord_line(
	struct strbuf *line, struct port *port, const struct portrecord_setting *setting);

#endif
