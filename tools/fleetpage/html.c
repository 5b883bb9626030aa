/* html - builds HTML pages. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "html.h"

#include "text.h"
#include "utf8.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* The page loads nothing and runs no scripts. */
#define POLICY "default-src 'none'; style-src 'unsafe-inline'"

static const char style[] =
	":root{color-scheme:light dark}"
	"body{font:14px/1.4 system-ui,sans-serif;margin:1rem auto;max-width:100rem;padding:0 1rem}"
	"h1{font-size:1.3rem}h2{font-size:1.1rem;margin:1.2rem 0 .3rem}"
	"table{border-collapse:collapse;width:100%}"
	"th,td{text-align:left;padding:.15rem .6rem .15rem 0;vertical-align:top}"
	"th{border-bottom:1px solid #8888;font-weight:600}"
	"td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}"
	"tr.fatal td:first-child{border-left:4px solid #d33;padding-left:.4rem}"
	"tr.other td:first-child{border-left:4px solid #d90;padding-left:.4rem}"
	"tr.over td:first-child{border-left:4px solid #8884;padding-left:.4rem}"
	"td.m{overflow-wrap:anywhere}"
	"svg{display:block;width:100%}"
	".fatal{fill:#d33}.other{fill:#d90}.fine{fill:#3a6}.over{fill:#8884}"
	"text{font-size:11px;fill:currentColor}";

void
html_begin(struct strbuf *page, const char *title, unsigned again_s)
{
	strbuf_addf(page, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
			  "<meta http-equiv=\"Content-Security-Policy\" content=\"" POLICY "\">\n"
			  "<meta name=\"viewport\" content=\"width=device-width\">\n<title>");
	html_text(page, title);
	strbuf_addf(page, "</title>\n");
	if (again_s > 0)
		strbuf_addf(page, "<meta http-equiv=\"refresh\" content=\"%u\">\n", again_s);
	strbuf_addf(page, "<style>%s</style>\n</head>\n<body>\n", style);
}

void
html_end(struct strbuf *page)
{
	strbuf_addf(page, "</body>\n</html>\n");
}

void
html_text(struct strbuf *page, const char *text)
{
	size_t length = text != NULL ? strlen(text) : 0, size = 4 * length + 1;
	char *safe = malloc(size);
	if (safe == NULL) {
		page->is_short = true;
		return;
	}
	utf8_escape(text_or_empty(text), length, safe, size);
	for (const char *at = safe; *at != '\0'; at++) {
		switch (*at) {
		case '&':
			strbuf_addf(page, "&amp;");
			break;
		case '<':
			strbuf_addf(page, "&lt;");
			break;
		case '>':
			strbuf_addf(page, "&gt;");
			break;
		case '"':
			strbuf_addf(page, "&quot;");
			break;
		case '\'':
			strbuf_addf(page, "&#39;");
			break;
		default:
			strbuf_add(page, at, 1);
		}
	}
	free(safe);
}

void
html_address(struct strbuf *page, const char *place, const char *name)
{
	strbuf_addf(page, "/%s/", place);
	for (; *name != '\0'; name++) {
		unsigned char byte = (unsigned char)*name;
		if (byte < 0x80 && (isalnum(byte) || strchr("-._~", byte) != NULL))
			strbuf_add(page, name, 1);
		else
			strbuf_addf(page, "%%%02X", byte);
	}
}

void
html_link(struct strbuf *page, const char *place, const char *name)
{
	strbuf_addf(page, "<a href=\"");
	html_address(page, place, name);
	strbuf_addf(page, "\">");
	html_text(page, *name != '\0' ? name : "-");
	strbuf_addf(page, "</a>");
}
