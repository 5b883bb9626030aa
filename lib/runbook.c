/* runbook - finds the runbook page for an event. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "runbook.h"

#include "array.h"
#include "commalist.h"
#include "strbuf.h"
#include "text.h"
#include "webaddress.h"
#include "words.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#define PAGE "{page}"
#define CODE "{code}"

/* The headings of all pages in doc/runbooks. */
static const struct {
	const char *page, *heading;
} rows[] = {
#include "runbook_headings.inc"
};

/* Return NULL if no page has this heading. */
static const char *
page_of(const char *heading, size_t length)
{
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		if (words_equal(rows[i].heading, heading, length))
			return rows[i].page;
	}
	return NULL;
}

struct runbook
runbook_find(const char *check, const char *codes)
{
	struct runbook found = {page_of(check, strlen(check)), check, strlen(check)};
	const char *rest = codes, *code;
	size_t length;
	bool is_first = true;
	if (found.page != NULL)
		return found;
	while (commalist_next(&rest, &code, &length)) {
		const char *page = page_of(code, length);
		if (page != NULL || is_first)
			found = (struct runbook){page, code, length};
		is_first = false;
	}
	if (found.page == NULL)
		found.page = RUNBOOK_OWN;
	if (found.length > RUNBOOK_HEADING_MAX)
		found.length = RUNBOOK_HEADING_MAX;
	return found;
}

/* --- addresses --- */

const char *
runbook_url_check(const char *text)
{
	const char *rest = webaddress_rest(text);
	if (rest == NULL || *rest == '\0')
		return "not an address that begins with http:// or https://";
	if (strlen(text) > RUNBOOK_URL_MAX)
		return "longer than 200 bytes";
	for (const char *at = text; *at != '\0'; at++) {
		if (text_has_prefix(at, PAGE) || text_has_prefix(at, CODE))
			at = strchr(at, '}');
		else if (*at == '{' || *at == '}')
			return "only " PAGE " and " CODE " are allowed in braces";
		else if (*at <= ' ' || *at > '~' || strchr("\"<>\\^`|", *at) != NULL)
			return "it contains a character that is not allowed in an address";
	}
	return NULL;
}

/* Percent-encode: a site's own counter may have a name with any characters. */
static void
put_encoded(struct strbuf *text, const char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		/* No program sets a locale: isalnum() knows ASCII only. */
		if (isalnum((unsigned char)bytes[i]) || strchr("-._~", bytes[i]) != NULL)
			strbuf_add(text, bytes + i, 1);
		else
			strbuf_addf(text, "%%%02X", (unsigned char)bytes[i]);
	}
}

char *
runbook_url_new(const char *url, const char *check, const char *codes)
{
	const struct runbook runbook = runbook_find(check, codes);
	struct strbuf text = {0};
	while (*url != '\0') {
		size_t length = strcspn(url, "{");
		strbuf_add(&text, url, length);
		url += length;
		if (text_has_prefix(url, PAGE))
			strbuf_add(&text, runbook.page, strlen(runbook.page));
		else if (text_has_prefix(url, CODE))
			put_encoded(&text, runbook.heading, runbook.length);
		url += strcspn(url, "}") + (*url != '\0');
	}
	return strbuf_detach_new(&text);
}
