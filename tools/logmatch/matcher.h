/* matcher - finds the pattern of a message. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGMATCH_MATCHER_H
#define LOGMATCH_MATCHER_H

#include "pattern.h"
#include "rx.h"
#include "sieve.h"

/* Bytes of a message that are searched. The kernel's messages have at most 8 KiB
 * (kernel#kmsg-size). */
#define MATCHER_TEXT_MAX_BYTES ((size_t)16 << 10)

struct matcher;

struct match {
	enum logpattern pattern; /* LOGPATTERN_N: none */
	bool is_frame;           /* may be a line of a lock-up report */
	bool is_suppressed;      /* may be `callbacks suppressed` */
	bool gave_up;            /* an expression hit its match limit: result unknown */
	struct printer printer;  /* parsed beginning; all zeros if not parsed */
};

/* Create a matcher for the patterns with enabled[pattern]. A line of a disabled pattern matches no
 * other pattern. Return NULL when memory ran out. Free with matcher_free(). */
struct matcher *matcher_new(const bool enabled[LOGPATTERN_N]);

/* NULL is allowed. */
void matcher_free(struct matcher *matcher);

/* Return the sieve whose keys occur in every line that can matter. */
const struct sieve *matcher_sieve(const struct matcher *matcher);

/* Return true if a line whose keys have this meaning can matter. A line whose only key is the
 * MESSAGE of journalctl's JSON matters only if the value is an array of bytes or the line has
 * escapes: the sieve cannot see keys in these before they are decoded. */
bool matcher_is_candidate(uint64_t meaning, const char *line, size_t length);

/* Return the sieve's meaning of the keys in the text. */
uint64_t matcher_meaning(const struct matcher *matcher, const char *text, size_t length);

/* Return the first pattern that matches the message. A line feed in it is like any other byte, but
 * patterns do not search beyond it. `meaning` is the sieve's result for the message or a larger
 * span. */
struct match matcher_match(
	const struct matcher *matcher, const char *text, size_t length, uint64_t meaning);

/* Rewrite an expression so that any text is decided in one pass: `A.*B` becomes
 * `\A(?>.*?A)(?>.*?B)`, which never retries a part when a later one is missing. For the expressions
 * that pattern.h allows, the result matches the same texts. Return memory from malloc, or NULL when
 * memory ran out. */
char *matcher_linear_new(const char *expression);

#endif
