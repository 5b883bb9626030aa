/* html - pages of HTML, put together so that no text of an event is more than a text. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FLEETPAGE_HTML_H
#define FLEETPAGE_HTML_H

#include "strbuf.h"

/* A whole page: html_begin(), what it shows, html_end(). Its title is a text, and a browser reads
 * it again after so many seconds; 0: never. */
void html_begin(struct strbuf *page, const char *title, unsigned again_s);
void html_end(struct strbuf *page);

/* A text, as it is shown; NULL is "". What could change how a line is read, as control characters,
 * becomes \xNN. */
void html_text(struct strbuf *page, const char *text);

/* `/PLACE/NAME` for an address within the pages. */
void html_address(struct strbuf *page, const char *place, const char *name);

/* A link to that, with the name as its text. */
void html_link(struct strbuf *page, const char *place, const char *name);

#endif
