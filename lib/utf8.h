/* utf8 - makes text from outside safe: valid UTF-8 for records, printable for terminals. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_UTF8_H
#define NHM_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Marks a text as UTF-8, at its beginning. */
#define UTF8_BYTE_ORDER_MARK "\xEF\xBB\xBF"

/* Return the length in bytes (1-4) of the valid UTF-8 character at `text`, or 0 if there is none
 * within `length` bytes. Overlong forms, surrogates and values above U+10FFFF are not valid (RFC
 * 3629). */
size_t utf8_char(const char *text, size_t length);

/* Return whether the whole text is valid UTF-8. */
bool utf8_is_valid(const char *text);

/* Copy `length` bytes to `out`, replacing each NUL and each byte that is not part of valid UTF-8 by
 * U+FFFD. Write at most size-1 bytes, cut at a character boundary, and a NUL. Return the number of
 * bytes without the NUL. */
size_t utf8_sanitize(const char *text, size_t length, char *out, size_t size);

/* Copy `length` bytes to `out` for a terminal: write bytes that are not valid UTF-8 as \xNN, and
 * also control characters (with U+0080-U+009F, and those of lines and writing direction: U+061C,
 * U+200E, U+200F, U+2028-U+202E, U+2066-U+2069). Write at most size-1 bytes and a NUL. Return the
 * number of bytes without the NUL. */
size_t utf8_escape(const char *text, size_t length, char *out, size_t size);

/* Return the largest n <= limit such that text[0..n) ends at a character boundary. `text` must be
 * valid UTF-8 of `length` bytes. */
size_t utf8_cut(const char *text, size_t length, size_t limit);

#endif
