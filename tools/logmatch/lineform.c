/* lineform - parses one line of a kernel log in any known form.
 *
 *   line       = *( ">" [ " " ] ) body [ CR ]       ; quoted in a mail: no evidence but its form
 *   body       = ""
 *              / dictionary                         ; " " key "=" value, after a kmsg record
 *              / record                             ; of /dev/kmsg, see kmsgform
 *              / object                             ; JSON, see journaljson
 *              / "-- " remark                       ; of journalctl itself
 *              / [ "<" priority ">" ] ( rfc5424 / [ level ] timed )
 *   timed      = bracket host-tag [ bracket ] text      ; journalctl -o short-monotonic
 *              / dmesg-iso "host kernel: " text
 *              / 1*( bracket / dmesg-iso ) text         ; dmesg
 *              / date [ host-tag ] [ bracket ] text
 *              / unix host-tag [ bracket ] text
 *              / text
 *
 * Colour sequences, which dmesg and grep write for terminals, are removed first. The kernel writes
 * no such bytes, see kmsgform.
 *
 * stamp parses `bracket` and the dates, syslogform parses `level`, `host-tag` and `rfc5424`. A
 * host-tag that is not the kernel's marks the line of another program. If a line has two times, the
 * outer one counts: the inner one is the same moment on a less useful clock. Whatever fits no rule
 * belongs to the text. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "lineform.h"

#include "journaljson.h"
#include "kmsgform.h"
#include "syslogform.h"

/* The forms that a format can consist of. */
enum form {
	FORM_KMSG = 1,
	FORM_JSON = 2,
	FORM_REMARK = 4,   /* and continuation lines of journalctl */
	FORM_PRIORITY = 8, /* and RFC 5424, which begins with one */
	FORM_LEVEL = 16,
	FORM_BRACKET = 32,
	FORM_DMESG_ISO = 64,
	FORM_HOST = 128, /* forms with a host and a program */
	FORM_PLAIN = 256,
};

struct format {
	unsigned forms;
	const char *reason; /* for a line in none of the forms; NULL if plain text is one */
};

static const struct format formats[] = {
	[LOGLINE_AUTO] = {.forms = ~0U},
	[LOGLINE_KMSG] = {FORM_KMSG, "not a record of /dev/kmsg"},
	[LOGLINE_DMESG] = {.forms = FORM_PRIORITY | FORM_LEVEL | FORM_BRACKET | FORM_DMESG_ISO |
				    FORM_PLAIN},
	[LOGLINE_JOURNAL] = {FORM_JSON | FORM_REMARK | FORM_HOST, "not a line of journalctl"},
	[LOGLINE_SYSLOG] = {.forms = FORM_PRIORITY | FORM_LEVEL | FORM_BRACKET | FORM_HOST |
				     FORM_PLAIN},
};

static void
set_text(struct logline *out, const struct cursor *line)
{
	out->kind = LOGLINE_MESSAGE;
	out->text = line->at;
	out->length = (size_t)(line->end - line->at);
}

static void
set_time(struct logline *out, const struct stamp *stamp)
{
	out->clock = stamp->clock;
	out->time_ns = stamp->time_ns;
}

static void
set_text_behind_inner_stamp(struct logline *out, struct cursor line)
{
	struct stamp inner;
	if (stamp_parse_bracket(&line, &inner) && out->clock == LOGLINE_NO_TIME)
		set_time(out, &inner);
	set_text(out, &line);
}

/* Since util-linux 2.40 dmesg prints several times if it is told to, each of another form: seconds
 * behind seconds belong to the text. */
static void
set_text_behind_stamps(struct logline *out, struct cursor line)
{
	struct cursor at = line;
	struct stamp more;
	bool has_seconds = out->clock == LOGLINE_BOOT;

	while ((stamp_parse_bracket(&at, &more) || stamp_parse_dmesg_iso(&at, &more)) &&
		!(has_seconds && more.clock == LOGLINE_BOOT)) {
		has_seconds |= more.clock == LOGLINE_BOOT;
		if (out->clock == LOGLINE_NO_TIME)
			set_time(out, &more);
		line = at;
	}
	set_text(out, &line);
}

/* Set the kind and text of a line whose host-tag was parsed. */
static void
set_origin(struct logline *out, enum syslogform_origin origin, const struct cursor *line)
{
	if (origin == SYSLOGFORM_OTHER)
		out->kind = LOGLINE_OTHER;
	else
		set_text_behind_inner_stamp(out, *line);
}

/* Do the same in a form of syslog files. There a second blank behind the tag is not the kernel's:
 * rsyslog keeps RFC 3164's blank in the text, and its templates may add another. */
static void
set_file_origin(struct logline *out, enum syslogform_origin origin, struct cursor line)
{
	if (origin == SYSLOGFORM_KERNEL)
		cursor_skip_char(&line, ' ');
	set_origin(out, origin, &line);
}

/* The readers of `timed` return false if the line is not in their form. */

static bool
read_bracket(unsigned forms, struct cursor line, struct logline *out)
{
	struct stamp stamp;
	enum syslogform_origin origin = SYSLOGFORM_NONE;

	if ((forms & (FORM_BRACKET | FORM_HOST)) == 0 || !stamp_parse_bracket(&line, &stamp))
		return false;
	if ((forms & FORM_HOST) != 0)
		origin = syslogform_parse_host(&line, SYSLOGFORM_TAG_WITH_PID);
	if (origin == SYSLOGFORM_NONE && (forms & FORM_BRACKET) == 0)
		return false;
	set_time(out, &stamp);
	if (origin == SYSLOGFORM_NONE)
		set_text_behind_stamps(out, line);
	else
		set_origin(out, origin, &line);
	return true;
}

static bool
read_dmesg_iso(unsigned forms, struct cursor line, struct logline *out)
{
	struct stamp stamp;

	if ((forms & FORM_DMESG_ISO) == 0 || !stamp_parse_dmesg_iso(&line, &stamp))
		return false;
	set_time(out, &stamp);
	/* dmesg prints no host, but a tool that processed its output may have added one. `mlx5_core
	 * 0000:...: ` is not a host. */
	struct cursor behind = line;
	if (syslogform_parse_host(&behind, SYSLOGFORM_TAG_WITH_PID) == SYSLOGFORM_KERNEL)
		set_text_behind_inner_stamp(out, behind);
	else
		set_text_behind_stamps(out, line);
	return true;
}

/* A plain text may begin with a number, or with words like a date in another language, so these
 * need a host-tag after them. Another date needs one only if the format has no plain text. */
static bool
read_date(unsigned forms, struct cursor line, struct logline *out)
{
	struct stamp stamp;

	if ((forms & FORM_HOST) == 0)
		return false;
	bool is_date = stamp_parse_date(&line, &stamp);
	if (!is_date && !stamp_parse_unix(&line, &stamp))
		return false;
	enum syslogform_origin origin = syslogform_parse_host(&line, SYSLOGFORM_ANY_TAG);
	bool is_certain = is_date && stamp.clock != LOGLINE_NO_TIME;
	if (origin == SYSLOGFORM_NONE && !(is_certain && (forms & FORM_PLAIN) != 0))
		return false;
	set_time(out, &stamp);
	if (is_date)
		set_file_origin(out, origin, line);
	else
		set_origin(out, origin, &line);
	return true;
}

static bool
read_timed(unsigned forms, const struct cursor *line, struct logline *out)
{
	if (cursor_is(line, '['))
		return read_bracket(forms, *line, out);
	if (cursor_is_digit(line) && read_dmesg_iso(forms, *line, out))
		return true;
	return read_date(forms, *line, out);
}

/* Parse the forms that end in a text. */
static void
read_text(const struct format *format, struct cursor line, struct logline *out)
{
	unsigned forms = format->forms;
	struct stamp stamp = {.clock = LOGLINE_NO_TIME};

	if ((forms & FORM_PRIORITY) != 0 && cursor_is(&line, '<')) {
		enum syslogform_origin origin = syslogform_parse_priority(&line);
		if (origin == SYSLOGFORM_OTHER) {
			out->kind = LOGLINE_OTHER;
			return;
		}
		if (origin == SYSLOGFORM_KERNEL)
			origin = syslogform_parse_5424(&line, &stamp);
		if (origin != SYSLOGFORM_NONE) {
			set_time(out, &stamp);
			set_file_origin(out, origin, line);
			return;
		}
	}
	if ((forms & FORM_LEVEL) != 0 && syslogform_parse_level(&line) == SYSLOGFORM_OTHER) {
		out->kind = LOGLINE_OTHER;
		return;
	}
	if (read_timed(forms, &line, out))
		return;
	if ((forms & FORM_PLAIN) != 0)
		set_text(out, &line);
	else
		out->reason = format->reason;
}

/* Return true if the line was in this form: `*out` is set, or `*status` is -1 when memory ran
 * out. */
static bool
read_kmsg(enum logline_format format, const struct cursor *line, bool after_kmsg,
	struct strbuf *scratch, struct logline *out, int *status)
{
	size_t length = (size_t)(line->end - line->at);

	if (cursor_is(line, ' ') && (after_kmsg || format == LOGLINE_KMSG) &&
		kmsgform_is_dictionary(line->at, length)) {
		*out = (struct logline){.kind = LOGLINE_OTHER, .of_kmsg = true};
		return true;
	}
	*status = kmsgform_parse(line->at, length, scratch, out);
	return *status < 0 || out->kind != LOGLINE_BAD;
}

/* Objects are records of other tools in every format, and journal entries in some. */
static bool
read_object(unsigned forms, const struct cursor *line, struct strbuf *scratch, struct logline *out,
	int *status)
{
	size_t length = (size_t)(line->end - line->at);

	if (!journaljson_is_object(line->at, length))
		return false;
	*status = journaljson_parse(line->at, length, scratch, out);
	return *status < 0 || (forms & FORM_JSON) != 0 || out->kind == LOGLINE_RECORD;
}

static bool
is_remark(const struct cursor *line, enum logline_format format)
{
	struct cursor at = *line;
	/* journalctl indents the second and later lines of a message. */
	return cursor_skip_text(&at, "-- ") || (format == LOGLINE_JOURNAL && cursor_is(line, ' '));
}

/* Skip ESC "[" numbers ( "m" / "K" ): a colour, or grep's "erase to the end of the line". */
static bool
skip_colour(struct cursor *line)
{
	struct cursor at = *line;
	if (!cursor_skip_text(&at, "\x1B["))
		return false;
	while (cursor_is_digit(&at) || cursor_is(&at, ';'))
		at.at++;
	if (!cursor_skip_char(&at, 'm') && !cursor_skip_char(&at, 'K'))
		return false;
	*line = at;
	return true;
}

/* Remove colour sequences: if there are any, copy the line into the scratch buffer. Return 0, or -1
 * when memory ran out. */
static int
drop_colours(struct cursor *line, struct strbuf *scratch)
{
	size_t length = (size_t)(line->end - line->at), kept = 0;
	if (length == 0 || memchr(line->at, '\x1B', length) == NULL)
		return 0;
	char *bytes = strbuf_reserve(scratch, length);
	if (bytes == NULL)
		return -1;
	while (!cursor_at_end(line))
		if (!skip_colour(line))
			bytes[kept++] = *line->at++;
	*line = (struct cursor){bytes, bytes + kept};
	return 0;
}

int
lineform_parse(enum logline_format format, const char *line, size_t length, bool after_kmsg,
	struct strbuf *scratch, struct logline *out)
{
	struct cursor at = {line, line + length};
	unsigned forms = formats[format].forms;
	int status = 0;

	if (length > 0 && at.end[-1] == '\r')
		at.end--;
	bool is_quoted = cursor_is(&at, '>');
	while (cursor_skip_char(&at, '>'))
		cursor_skip_char(&at, ' ');

	if (((forms & FORM_KMSG) != 0 &&
		    read_kmsg(format, &at, after_kmsg, scratch, out, &status)) ||
		read_object(forms, &at, scratch, out, &status)) {
		if (is_quoted)
			out->evidence = LOGLINE_TEXT;
		return status;
	}
	if (drop_colours(&at, scratch) < 0)
		return -1;
	*out = (struct logline){.kind = LOGLINE_BAD};
	if (cursor_at_end(&at) || ((forms & FORM_REMARK) != 0 && is_remark(&at, format)))
		out->kind = LOGLINE_OTHER;
	else
		read_text(&formats[format], at, out);
	return 0;
}
