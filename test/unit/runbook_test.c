/* Unit tests of runbook: the page about an event, and its URL. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "runbook.h"

#include "check.h"

#include <stdlib.h>
#include <string.h>

static void
pages(void)
{
	static const struct {
		const char *check, *codes, *page, *heading;
	} rows[] = {
		{"InfiniBandStateCheck", "port_state", "port-down", "port_state"},
		{"EthernetStateCheck", "link_downed", "link-flap", "link_downed"},
		/* The later code names the counter's problem. */
		{"InfiniBandStateCheck", "link_downed,saturated", "saturated", "saturated"},
		{"InfiniBandStateCheck", "own_counter,saturated", "saturated", "saturated"},
		{"InfiniBandStateCheck", "link_downed,new", "link-flap", "link_downed"},
		/* A check that is more specific than the codes of its findings. */
		{"RepeatedNICLinkFlap", "link_downed", "patterns", "RepeatedNICLinkFlap"},
		{"NICPollStallCheck", "", "unreadable", "NICPollStallCheck"},
		/* A counter that a site has added, and an unknown code. */
		{"InfiniBandStateCheck", "own_counter", "own", "own_counter"},
		{"InfiniBandStateCheck", "port_stat", "own", "port_stat"},
		{"InfiniBandStateCheck", "port_states,b", "own", "port_states"},
		{"MyCheck", "", "own", "MyCheck"},
		{"", "", "own", ""},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char heading[RUNBOOK_HEADING_MAX + 1];
		check_row("%s %s", rows[i].check, rows[i].codes);
		const struct runbook found = runbook_find(rows[i].check, rows[i].codes);
		snprintf(heading, sizeof heading, "%.*s", (int)found.length, found.heading);
		CHECK_STR(found.page, rows[i].page);
		CHECK_STR(heading, rows[i].heading);
	}
}

static void
long_names(void)
{
	char *name = check_repeat_new('x', RUNBOOK_HEADING_MAX + 1);
	CHECK_U64(runbook_find("", name).length, RUNBOOK_HEADING_MAX);
	CHECK_U64(runbook_find(name, "").length, RUNBOOK_HEADING_MAX);
	name[RUNBOOK_HEADING_MAX] = '\0';
	CHECK_U64(runbook_find("", name).length, RUNBOOK_HEADING_MAX);
	free(name);
}

static void
templates(void)
{
	static const struct {
		const char *text, *reason;
	} rows[] = {
		{"https://wiki/{page}.md#{code}", NULL},
		{"http://h", NULL},
		{"https://h/{page}{page}?q={code}&a=%20~", NULL},
		{"ftp://h/{page}", "not an address that begins with http:// or https://"},
		{"/usr/share/{page}.md", "not an address that begins with http:// or https://"},
		{"https://", "not an address that begins with http:// or https://"},
		{"", "not an address that begins with http:// or https://"},
		{"https://h/{pages}", "only {page} and {code} are allowed in braces"},
		{"https://h/{page", "only {page} and {code} are allowed in braces"},
		{"https://h/page}", "only {page} and {code} are allowed in braces"},
		{"https://h/{}", "only {page} and {code} are allowed in braces"},
		{"https://h/a b", "it contains a character that is not allowed in an address"},
		{"https://h/a\nb", "it contains a character that is not allowed in an address"},
		{"https://h/\"", "it contains a character that is not allowed in an address"},
		{"https://h/\xc3\xbc", "it contains a character that is not allowed in an address"},
		{"https://h/\x7f", "it contains a character that is not allowed in an address"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%s", rows[i].text);
		CHECK_STR(runbook_url_check(rows[i].text), rows[i].reason);
	}
}

static void
length(void)
{
	char text[RUNBOOK_URL_MAX + 2] = "https://";
	memset(text + strlen(text), 'h', sizeof text - 1 - strlen(text));
	CHECK_STR(runbook_url_check(text), "longer than 200 bytes");
	text[RUNBOOK_URL_MAX] = '\0';
	CHECK_STR(runbook_url_check(text), NULL);
}

static void
addresses(void)
{
	static const struct {
		const char *url, *codes, *expected;
	} rows[] = {
		{"https://w/{page}.md#{code}", "port_state", "https://w/port-down.md#port_state"},
		{"https://w/{code}/{page}/{code}", "port_state",
			"https://w/port_state/port-down/port_state"},
		{"{page}", "port_state", "port-down"},
		{"https://w/", "port_state", "https://w/"},
		{"https://w/{page}?{code}", "a/b?c#d&e f\"\x01\xc3\xbc",
			"https://w/own?a%2Fb%3Fc%23d%26e%20f%22%01%C3%BC"},
		{"https://w/{page}?{code}", "{page}", "https://w/own?%7Bpage%7D"},
		{"https://w/{page}?{code}.", "", "https://w/own?."},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%s %s", rows[i].url, rows[i].codes);
		char *url = runbook_url_new(rows[i].url, "", rows[i].codes);
		CHECK_STR(url, rows[i].expected);
		free(url);
	}
}

static const struct check_test tests[] = {
	{"a code, or a more specific check, leads to its page and heading", pages},
	{"a heading that is too long is cut", long_names},
	{"a runbook URL may have only {page} and {code} in braces", templates},
	{"a runbook URL has a maximum length", length},
	{"page and code are inserted into the URL, percent-encoded", addresses},
};

CHECK_MAIN(tests)
