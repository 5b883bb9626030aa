/* syslogform - parses what syslog and journalctl put before a text besides its time: priority,
 * level words, host and program. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "syslogform.h"

#include "utf8.h"

#define PRIORITY_MAX 191

/* Levels per facility; the kernel's facility is 0. */
#define LEVELS 8

/* Names in syslog.h, and aliases of dmesg and syslog daemons. */
static const char *const facilities[] = {"kern", "user", "mail", "daemon", "auth", "syslog", "lpr",
	"news", "uucp", "cron", "authpriv", "ftp", "res0", "res1", "res2", "res3", "local0",
	"local1", "local2", "local3", "local4", "local5", "local6", "local7", NULL};
static const char *const levels[] = {"emerg", "panic", "alert", "crit", "err", "error", "warn",
	"warning", "notice", "info", "debug", NULL};

static bool
is_one_of(const struct cursor *word, const char *const *names)
{
	for (; *names != NULL; names++)
		if (cursor_equals(word, *names))
			return true;
	return false;
}

static bool
is_lower(const struct cursor *line)
{
	return !cursor_at_end(line) && *line->at >= 'a' && *line->at <= 'z';
}

/* Parse lower-case letters and digits. Callers compare the name last, because most lines fail at
 * the separators. */
static void
parse_name(struct cursor *line, struct cursor *name)
{
	name->at = line->at;
	while (is_lower(line) || cursor_is_digit(line))
		line->at++;
	name->end = line->at;
}

/* Skip the padding to dmesg's six places, and the colon. */
static bool
skip_padding(struct cursor *line, const struct cursor *name)
{
	for (size_t width = (size_t)(name->end - name->at); width < 6; width++)
		if (!cursor_skip_char(line, ' '))
			return false;
	return cursor_skip_char(line, ':');
}

static bool
parse_dotted(struct cursor *line, struct cursor *facility)
{
	struct cursor level;
	parse_name(line, facility);
	if (!cursor_skip_char(line, '.'))
		return false;
	parse_name(line, &level);
	return is_one_of(facility, facilities) && is_one_of(&level, levels);
}

static bool
parse_padded(struct cursor *line, struct cursor *facility)
{
	struct cursor level;
	parse_name(line, facility);
	if (!skip_padding(line, facility))
		return false;
	parse_name(line, &level);
	return skip_padding(line, &level) && is_one_of(facility, facilities) &&
	       is_one_of(&level, levels);
}

enum syslogform_origin
syslogform_parse_priority(struct cursor *line)
{
	struct cursor at = *line;
	uint64_t priority;

	if (!cursor_skip_char(&at, '<') || !cursor_parse_number(&at, PRIORITY_MAX, &priority) ||
		at.at - line->at > 4 || !cursor_skip_char(&at, '>'))
		return SYSLOGFORM_NONE;
	if (priority >= LEVELS)
		return SYSLOGFORM_OTHER;
	*line = at;
	return SYSLOGFORM_KERNEL;
}

enum syslogform_origin
syslogform_parse_level(struct cursor *line)
{
	struct cursor at = *line, facility;

	if (!is_lower(line))
		return SYSLOGFORM_NONE;
	if (!parse_padded(&at, &facility)) {
		at = *line;
		if (!parse_dotted(&at, &facility) || !cursor_skip_char(&at, ':'))
			return SYSLOGFORM_NONE;
	}
	if (!cursor_skip_blank_or_end(&at))
		return SYSLOGFORM_NONE;
	if (!cursor_equals(&facility, "kern"))
		return SYSLOGFORM_OTHER;
	*line = at;
	return SYSLOGFORM_KERNEL;
}

/* Match name [ "[" number "]" ] ":" with the whole word. `*is_process`: there is a number. */
static bool
is_tag(struct cursor word, bool *is_process)
{
	uint64_t number;
	const char *start = word.at;

	*is_process = false;
	while (!cursor_at_end(&word) && *word.at != ':' && *word.at != '[')
		word.at++;
	if (word.at == start)
		return false;
	if (cursor_skip_char(&word, '[')) {
		*is_process = cursor_parse_number(&word, UINT64_MAX, &number);
		if (!*is_process || !cursor_skip_char(&word, ']'))
			return false;
	}
	return cursor_skip_char(&word, ':') && cursor_at_end(&word);
}

enum syslogform_origin
syslogform_parse_host(struct cursor *line, enum syslogform_strictness strictness)
{
	struct cursor at = *line, host, word, facility;
	bool is_process;

	/* journalctl --no-hostname */
	if (cursor_skip_text(&at, "kernel:") && cursor_skip_blank_or_end(&at)) {
		*line = at;
		return SYSLOGFORM_KERNEL;
	}
	at = *line;
	/* `mlx5_core: ...` and `[Hardware Error]: ...` are texts without a host. */
	if (!cursor_parse_word(&at, &host) || *host.at == '[' || host.end[-1] == ':' ||
		!cursor_skip_char(&at, ' '))
		return SYSLOGFORM_NONE;
	struct cursor ahead = at;
	bool is_others = false;
	if (parse_dotted(&ahead, &facility) && cursor_skip_char(&ahead, ' ')) {
		at = ahead;
		is_others = !cursor_equals(&facility, "kern");
	}
	if (!cursor_parse_word(&at, &word) || !is_tag(word, &is_process))
		return SYSLOGFORM_NONE;
	if (is_others)
		return SYSLOGFORM_OTHER;
	if (cursor_equals(&word, "kernel:")) {
		cursor_skip_blank_or_end(&at);
		*line = at;
		return SYSLOGFORM_KERNEL;
	}
	return is_process || strictness == SYSLOGFORM_ANY_TAG ? SYSLOGFORM_OTHER : SYSLOGFORM_NONE;
}

/* Skip "-", or elements in brackets with quoted values. */
static bool
skip_structured_data(struct cursor *line)
{
	bool quoted = false;

	if (cursor_skip_char(line, '-'))
		return true;
	if (!cursor_is(line, '['))
		return false;
	while (cursor_skip_char(line, '[')) {
		for (; !cursor_at_end(line) && (quoted || *line->at != ']'); line->at++) {
			if (*line->at == '"')
				quoted = !quoted;
			else if (quoted && *line->at == '\\' && line->end - line->at > 1)
				line->at++;
		}
		if (!cursor_skip_char(line, ']'))
			return false;
	}
	return true;
}

static bool
parse_5424_time(struct cursor *line, struct stamp *out)
{
	if (cursor_skip_text(line, "- ")) {
		*out = (struct stamp){.clock = LOGLINE_NO_TIME};
		return true;
	}
	return stamp_parse_date(line, out) && out->clock == LOGLINE_REALTIME;
}

enum syslogform_origin
syslogform_parse_5424(struct cursor *line, struct stamp *out)
{
	struct cursor at = *line, host, program, process, message_id;

	if (!cursor_skip_text(&at, "1 ") || !parse_5424_time(&at, out) ||
		!cursor_parse_word(&at, &host) || !cursor_skip_char(&at, ' ') ||
		!cursor_parse_word(&at, &program) || !cursor_skip_char(&at, ' ') ||
		!cursor_parse_word(&at, &process) || !cursor_skip_char(&at, ' ') ||
		!cursor_parse_word(&at, &message_id) || !cursor_skip_char(&at, ' ') ||
		!skip_structured_data(&at) || !cursor_skip_blank_or_end(&at))
		return SYSLOGFORM_NONE;
	if (!cursor_equals(&program, "kernel") || !cursor_equals(&process, "-"))
		return SYSLOGFORM_OTHER;
	/* RFC 5424 6.4 */
	cursor_skip_text(&at, UTF8_BYTE_ORDER_MARK);
	*line = at;
	return SYSLOGFORM_KERNEL;
}
