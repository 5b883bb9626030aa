/* traceline - parses a line of a tracefs instance's trace_pipe. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "traceline.h"

#include "array.h"
#include "eventname.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TASK_COLUMNS 16

/* Advance past `text`. Return false if something else is there. */
static bool
skip(const char **at, const char *text)
{
	size_t length = strlen(text);
	bool is_there = strncmp(*at, text, length) == 0;
	if (is_there)
		*at += length;
	return is_there;
}

static bool
parse_number(const char **at, uint64_t max, uint64_t *out)
{
	char *end;
	if (!isdigit((unsigned char)**at))
		return false;
	errno = 0;
	unsigned long long number = strtoull(*at, &end, 10);
	*at = end;
	*out = number;
	return errno == 0 && number <= max;
}

static bool
parse_signed(const char **at, int32_t *out)
{
	uint64_t number;
	bool is_negative = skip(at, "-");
	if (!parse_number(at, INT32_MAX, &number))
		return false;
	*out = is_negative ? -(int32_t)number : (int32_t)number;
	return true;
}

/* Advance past the time. Return false if the line does not begin like an event. */
static bool
skip_head(const char **at)
{
	uint64_t number;
	if (strnlen(*at, TASK_COLUMNS) < TASK_COLUMNS)
		return false;
	*at += TASK_COLUMNS;
	if (!skip(at, "-") || !parse_number(at, UINT32_MAX, &number))
		return false;
	*at += strspn(*at, " ");
	if (!skip(at, "[") || !parse_number(at, UINT32_MAX, &number) || !skip(at, "] "))
		return false;
	/* The flags are one word, which may be missing. */
	*at += strspn(*at, " ");
	size_t word = strcspn(*at, " ");
	if ((*at)[word] == ' ' && memchr(*at, ':', word) == NULL) {
		*at += word;
		*at += strspn(*at, " ");
	}
	return parse_number(at, UINT64_MAX, &number) && skip(at, ".") &&
	       parse_number(at, UINT64_MAX, &number) && skip(at, ": ");
}

/* Parse "10.0.0.1:4711" or "[fd00::1]:4711", up to a blank. If it is neither, leave the family
 * unset. */
static void
parse_address(const char *at, struct traceline_address *out)
{
	char text[INET6_ADDRSTRLEN];
	struct in_addr four;
	bool is_six = skip(&at, "[");
	size_t length = strcspn(at, is_six ? "] " : ": ");
	if (!notice_copy(text, sizeof text, at, length))
		return;
	if (is_six && inet_pton(AF_INET6, text, &out->bytes) == 1) {
		out->family = AF_INET6;
	} else if (!is_six && inet_pton(AF_INET, text, &four) == 1) {
		out->family = AF_INET;
		memcpy(&out->bytes, &four, sizeof four);
	}
}

static enum traceline_status
parse_cm(const char *text, struct notice *notice, struct traceline_ends *ends)
{
	uint64_t type;
	const char *here = strstr(text, "src="), *peer = strstr(text, " dst=");
	const char *at = strrchr(text, '(');
	if (here == NULL || peer == NULL || at == NULL || !skip(&at, "(") ||
		!parse_number(&at, UINT32_MAX, &type) || !skip(&at, "/") ||
		!parse_signed(&at, &notice->status) || strcmp(at, ")") != 0)
		return TRACELINE_MALFORMED;
	const struct eventname_cm *event = eventname_cm((uint32_t)type, notice->status);
	if (event == NULL)
		return TRACELINE_OTHER;
	notice->kind = NOTICE_CM;
	notice->event = event->name;
	notice->cause = event->cause;
	parse_address(here + strlen("src="), &ends->here);
	parse_address(peer + strlen(" dst="), &ends->peer);
	return TRACELINE_NOTICE;
}

/* Advance past the function in parentheses. Return false if there is none. */
static bool
skip_function(const char **at)
{
	const char *end = strchr(*at, ')');
	if (**at != '(' || end == NULL)
		return false;
	*at = end + 1;
	return true;
}

/* If the kernel could not read the device's name, it prints (fault) without quotes: then the device
 * is unknown. */
static bool
parse_device(const char *at, struct notice *notice)
{
	if (!skip(&at, "\""))
		return strcmp(at, "(fault)") == 0;
	size_t length = strcspn(at, "\"");
	return strcmp(at + length, "\"") == 0 &&
	       notice_copy(notice->device, sizeof notice->device, at, length);
}

static enum traceline_status
parse_probe(const char *at, bool has_port, struct notice *notice)
{
	uint64_t type, port = 0;
	if (!skip_function(&at) || !skip(&at, " event=") || !parse_number(&at, UINT32_MAX, &type))
		return TRACELINE_MALFORMED;
	if (has_port && (!skip(&at, " port=") || !parse_number(&at, UINT32_MAX, &port)))
		return TRACELINE_MALFORMED;
	if (!skip(&at, " dev=") || !parse_device(at, notice))
		return TRACELINE_MALFORMED;
	const struct eventname_async *event = eventname_async((uint32_t)type);
	notice->kind = NOTICE_ASYNC;
	notice->event = event->name;
	notice->fabric_error = event->fabric_error;
	notice->port = event->has_port ? (uint32_t)port : 0;
	return has_port ? TRACELINE_OF_DEVICE : TRACELINE_NOTICE;
}

static enum traceline_status
parse_lost(const char *at, struct notice *notice)
{
	uint64_t number;
	if (!parse_number(&at, UINT32_MAX, &number) || !skip(&at, " [LOST ") ||
		!parse_number(&at, UINT32_MAX, &notice->count) || strcmp(at, " EVENTS]") != 0)
		return TRACELINE_MALFORMED;
	notice->kind = NOTICE_GAP;
	return TRACELINE_NOTICE;
}

enum traceline_status
traceline_parse(const char *line, struct notice *notice, struct traceline_ends *ends)
{
	static const char *const probes[] = {"ib_qp: ", "ib_cq: ", "ib_srq: ", "ib_wq: "};
	const char *at = line;
	*notice = (struct notice){.via = VIA_TRACE, .count = 1};
	*ends = (struct traceline_ends){.here = {.family = AF_UNSPEC}};
	if (skip(&at, "CPU:"))
		return parse_lost(at, notice);
	if (!skip_head(&at))
		return TRACELINE_OTHER;
	if (skip(&at, "cm_event_handler: "))
		return parse_cm(at, notice, ends);
	if (skip(&at, "ib_event: "))
		return parse_probe(at, true, notice);
	for (size_t i = 0; i < ARRAY_COUNT(probes); i++)
		if (skip(&at, probes[i]))
			return parse_probe(at, false, notice);
	return TRACELINE_OTHER;
}
