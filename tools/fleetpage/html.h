/* html - builds HTML pages, with all text of events escaped. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FLEETPAGE_HTML_H
#define FLEETPAGE_HTML_H

#include "strbuf.h"

/* Begin and end a page. `title` is escaped. The browser reloads the page every `again_s` seconds;
 * 0: never. */
void html_begin(struct strbuf *page, const char *title, unsigned again_s);
void html_end(struct strbuf *page);

/* Append escaped text; NULL is "". Control characters become \xNN. */
void html_text(struct strbuf *page, const char *text);

/* Append `/PLACE/NAME`, an address within the pages. */
void html_address(struct strbuf *page, const char *place, const char *name);

/* Append a link to that address with the name as its text. */
void html_link(struct strbuf *page, const char *place, const char *name);

#endif
