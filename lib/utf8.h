/* utf8 - text from outside made safe: valid UTF-8 for records, printable for terminals. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_UTF8_H
#define NHM_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Length in bytes (1-4) of the valid UTF-8 character at `text`, 0 when there is none within
 * `length` bytes. Overlong forms, surrogates and values above U+10FFFF are not valid (RFC 3629). */
size_t utf8_char(const char *text, size_t length);

/* True when the whole text is valid UTF-8. */
bool utf8_is_valid(const char *text);

/* Copies `length` bytes to `out`, each byte that is not part of valid UTF-8 and each NUL replaced
 * by U+FFFD. Writes at most size-1 bytes, cut at a character boundary, and a NUL. Returns the
 * number of bytes without the NUL. */
size_t utf8_sanitize(const char *text, size_t length, char *out, size_t size);

/* Copies `length` bytes to `out` for a terminal: control characters (U+0080-U+009F too, and those
 * of lines and of the direction of writing: U+061C, U+200E, U+200F, U+2028-U+202E, U+2066-U+2069)
 * and bytes that are not valid UTF-8 become \xNN. Writes at most size-1 bytes and a NUL; returns
 * the number of bytes without the NUL. */
size_t utf8_escape(const char *text, size_t length, char *out, size_t size);

/* Largest n <= limit such that text[0..n) ends at a character boundary. `text` must be valid UTF-8
 * of `length` bytes. */
size_t utf8_cut(const char *text, size_t length, size_t limit);

#endif
