/* stamp - parses the time at the start of a line, in brackets or as a date. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGMATCH_STAMP_H
#define LOGMATCH_STAMP_H

#include "cursor.h"
#include "logline.h"

struct stamp {
	enum logline_clock clock;
	uint64_t time_ns; /* see enum logline_clock */
};

/* Each function parses its form and one blank after it (or the end of the line), or returns false
 * and leaves the cursor unchanged. */

/* Parse the brackets of the kernel, of dmesg, and of journalctl -o short-monotonic and short-delta:
 *
 *   bracket  = "[" inside "]" [ caller ] blank / caller blank
 *   inside   = *" " ( seconds *" " [ delta ] / sign span / delta )
 *            / name " " month " " day " " clock " " year [ delta ]      ; dmesg -T
 *            / month day " " hour ":" minute                            ; dmesg -H
 *            / name [","] " " date ( year [","] " " clock / clock " " year ) [ delta ]
 *            / date hour ":" minute                                     ; these two: translations
 *   date     = day ["."] [" "] month " "                                ; of dmesg
 *   month    = name
 *   name     = [ [" "] 1*DIGIT ] 1*LETTER ["."]                         ; at most 24 bytes
 *   delta    = *" " "<" *" " [ sign ] span *" " ["*"] ">"               ; dmesg -d
 *   span     = 1*19DIGIT ( "." / "," ) 1*9DIGIT
 *   sign     = "+" / "-"
 *   seconds  = 1*19DIGIT "." 1*9DIGIT
 *   caller   = [" "] "[" *" " ( "T" / "C" ) 1*19DIGIT "]"               ; thread or CPU
 *
 * Names and spans are in the language of the user of dmesg. A date whose month is not in English
 * gives LOGLINE_NO_TIME. */
bool stamp_parse_bracket(struct cursor *line, struct stamp *out);

/* Parse dmesg --time-format iso, the only form with a comma: date "T" clock "," fraction zone [
 * caller ] blank. */
bool stamp_parse_dmesg_iso(struct cursor *line, struct stamp *out);

/* Parse the dates of syslog files and of journalctl:
 *
 *   date     = month " " day " " clock blank / iso-date ( "T" / " " ) clock [ zone ] blank
 *            / weekday " " iso-date " " clock " " zone-word blank       ; -o short-full
 *   clock    = hour ":" minute ":" second [ "." 1*9DIGIT ]
 *   zone     = "Z" / ( "+" / "-" ) hour [ ":" ] minute
 *
 * A month that is not in English gives LOGLINE_NO_TIME. Such a date may be any text, so the caller
 * checks what follows. A zone name other than UTC and GMT is taken for this machine's zone:
 * LOGLINE_LOCAL. */
bool stamp_parse_date(struct cursor *line, struct stamp *out);

/* Parse journalctl -o short-unix: 1*19DIGIT "." 6DIGIT blank. A text may begin with such a number
 * too, so the caller checks what follows. */
bool stamp_parse_unix(struct cursor *line, struct stamp *out);

#endif
