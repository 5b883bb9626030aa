/* runbook - finds the runbook page that tells people on call how to handle an event. Pure.
 *
 * The pages are those of doc/runbooks: one for each family of causes, with a heading for each
 * code. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_RUNBOOK_H
#define NHM_RUNBOOK_H

#include <stddef.h>

/* Longest address of the pages, and longest heading (longer ones are cut), bytes. */
#define RUNBOOK_URL_MAX 200
#define RUNBOOK_HEADING_MAX 100

/* The page about counters and patterns that the configuration adds. */
#define RUNBOOK_OWN "own"

struct runbook {
	const char *page; /* its name, without .md; never NULL */
	/* Heading on the page: a check or a code of the event, borrowed from it. RUNBOOK_OWN has no
	 * such heading: there this is the event's first code, or its check. */
	const char *heading;
	size_t length; /* of the heading */
};

/* Find the page for events of this check with these codes, `link_downed,saturated`; both may be "".
 * A check that has a heading of its own takes precedence over codes, and a later code, which is
 * more specific, over earlier ones. */
struct runbook runbook_find(const char *check, const char *codes);

/* Return NULL, or why the text is not an address of pages. It must begin with http:// or https://,
 * and may contain `{page}` and `{code}`. */
const char *runbook_url_check(const char *text);

/* Return the address of the page for such events, from malloc: `url`, valid by runbook_url_check(),
 * with the page's name and the heading filled in. Return NULL when out of memory. */
char *runbook_url_new(const char *url, const char *check, const char *codes);

#endif
