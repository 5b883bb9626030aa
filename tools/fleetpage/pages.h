/* pages - what a fleet looks like in a browser. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FLEETPAGE_PAGES_H
#define FLEETPAGE_PAGES_H

#include "../fleetview/ranks.h"
#include "strbuf.h"

struct pages {
	const struct board *board;
	const struct topology *topology;
	uint64_t now_us;
	unsigned again_s; /* a browser reads a page again after so many seconds; 0: never */
};

/* Writes the page of a path: of all, `/`; of all switches, nodes or ports about which something
 * stands or has happened, `/switches`, `/nodes` and `/ports`; of a node or switch, `/node/NAME` and
 * `/switch/NAME`. The page may be short, see strbuf.h. Returns the status of HTTP. */
unsigned pages_write(const struct pages *pages, const char *path, struct strbuf *page);

#endif
