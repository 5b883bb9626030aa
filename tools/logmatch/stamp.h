/* stamp - the time that stands at the start of a line, in brackets or as a date. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGMATCH_STAMP_H
#define LOGMATCH_STAMP_H

#include "cursor.h"
#include "logline.h"

struct stamp {
	enum logline_clock clock;
	uint64_t time_ns; /* see enum logline_clock */
};

/* Each parses its form and the one blank after it, which the end of the line stands for too, or
 * leaves the cursor where it was. */

/* What the kernel and dmesg put in brackets, and journalctl's -o short-monotonic and short-delta:
 *
 *   bracket  = "[" inside "]" [ caller ] blank
 *   inside   = *" " ( seconds [ delta ] / "+" seconds / delta )
 *            / weekday " " month " " day " " clock " " year [ delta ]          ; dmesg -T
 *            / month day " " hour ":" minute                                   ; dmesg -H
 *   delta    = *" " "<" *" " ["+"] seconds *" " ">"                            ; dmesg -d
 *   seconds  = 1*19DIGIT "." 1*9DIGIT
 *   caller   = [" "] "[" *" " ( "T" / "C" ) 1*19DIGIT "]"                      ; thread or CPU
 */
bool stamp_parse_bracket(struct cursor *line, struct stamp *out);

/* dmesg --time-format iso, which alone has a comma: date "T" clock "," fraction zone [ caller ]
 * blank. */
bool stamp_parse_dmesg_iso(struct cursor *line, struct stamp *out);

/* The dates of syslog files and of journalctl:
 *
 *   date     = month " " day " " clock blank / iso-date ( "T" / " " ) clock [ zone ] blank
 *            / weekday " " iso-date " " clock " " zone-word blank              ; -o short-full
 *   clock    = hour ":" minute ":" second [ "." 1*9DIGIT ]
 *   zone     = "Z" / ( "+" / "-" ) hour [ ":" ] minute
 *
 * A zone that is known only by a name, other than UTC and GMT, is taken for this machine's:
 * LOGLINE_LOCAL. */
bool stamp_parse_date(struct cursor *line, struct stamp *out);

/* journalctl -o short-unix: 1*19DIGIT "." 6DIGIT blank. Numbers like that may begin a text too: the
 * caller looks at what follows. */
bool stamp_parse_unix(struct cursor *line, struct stamp *out);

#endif
