/* runbook - the page that says what to do about an event, for people on call. Pure.
 *
 * Pages are those of doc/runbooks: one for each family of causes, in which each code has a heading
 * of its own. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_RUNBOOK_H
#define NHM_RUNBOOK_H

#include <stddef.h>

/* Longest address of the pages; longest heading, which is cut. Bytes. */
#define RUNBOOK_URL_MAX 200
#define RUNBOOK_HEADING_MAX 100

/* The page about counters and patterns that the configuration has added. */
#define RUNBOOK_OWN "own"

struct runbook {
	const char *page; /* its name, without .md; never NULL */
	/* Under which heading: a check or a code of the event, borrowed from it. Of RUNBOOK_OWN
	 * there is none, and this is the event's first code, or its check. */
	const char *heading;
	size_t length; /* of the heading */
};

/* The page about events of this check with these codes, `link_downed,saturated`; both may be "".
 * A check that is about one thing only goes before codes, and a later code, which says more, before
 * the ones before it. */
struct runbook runbook_find(const char *check, const char *codes);

/* NULL, or why a text is no address of pages: it begins with http:// or https://, and may have
 * `{page}` and `{code}` in it. */
const char *runbook_url_check(const char *text);

/* The address of the page about such events, from malloc: `url`, which was found to be good, with
 * the page's name and the heading in their places. NULL when memory ran out. */
char *runbook_url_new(const char *url, const char *check, const char *codes);

#endif
