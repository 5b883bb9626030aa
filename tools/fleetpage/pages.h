/* pages - the web pages of a fleet. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FLEETPAGE_PAGES_H
#define FLEETPAGE_PAGES_H

#include "../fleetview/ranks.h"
#include "strbuf.h"

struct pages {
	const struct board *board;
	const struct topology *topology;
	uint64_t now_us;
	unsigned again_s; /* browsers reload the page after this many seconds; 0: never */
};

/* Write the page of a path: `/` is the main page; `/switches`, `/nodes` and `/ports` list all with
 * conditions or recent events; `/node/NAME` and `/switch/NAME` show one. When memory runs out, the
 * page's is_short is set, see strbuf.h. Return the HTTP status. */
unsigned pages_write(const struct pages *pages, const char *path, struct strbuf *page);

#endif
