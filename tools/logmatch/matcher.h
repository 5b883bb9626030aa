/* matcher - which pattern a message has. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGMATCH_MATCHER_H
#define LOGMATCH_MATCHER_H

#include "pattern.h"
#include "rx.h"
#include "sieve.h"

/* So much of a message is looked at. The kernel's have 8 KiB at most (kernel#kmsg-size). */
#define MATCHER_TEXT_MAX_BYTES ((size_t)16 << 10)

struct matcher;

struct match {
	enum logpattern pattern; /* LOGPATTERN_N: none */
	bool is_frame;           /* perhaps a line of a lock-up's report */
	bool is_suppressed;      /* perhaps `callbacks suppressed` */
	bool gave_up; /* an expression reached its limits: whether it matches is not known */
	struct printer printer; /* of the message, as far as it was looked at: all zeros */
};

/* For the patterns with enabled[pattern]; a line of one that is not is no other pattern's either.
 * NULL when memory runs out. Free with matcher_free(). */
struct matcher *matcher_new(const bool enabled[LOGPATTERN_N]);

/* NULL is allowed. */
void matcher_free(struct matcher *matcher);

/* The sieve over the texts of which one is in each line that can matter. */
const struct sieve *matcher_sieve(const struct matcher *matcher);

/* True when the line, whose keys the sieve says to have this meaning, can matter: the MESSAGE of
 * journalctl's JSON is worth a look only where it is an array of byte values, in which nothing can
 * be found before it is decoded. */
bool matcher_is_candidate(uint64_t meaning, const char *line, size_t length);

/* What the sieve says of the keys in the text. */
uint64_t matcher_meaning(const struct matcher *matcher, const char *text, size_t length);

/* The first pattern that the message has. A line feed in it is a byte like others, after which
 * nothing is looked for. `meaning` is what the sieve says of it, or of more around it. */
struct match matcher_match(
	const struct matcher *matcher, const char *text, size_t length, uint64_t meaning);

/* The expression in a form that decides any text in one pass, or NULL when memory runs out: `A.*B`
 * becomes `\A(?>.*?A)(?>.*?B)`, where no part is tried again when a later one is not found. Says
 * the same of expressions as pattern.h has them. From malloc. */
char *matcher_linear_new(const char *expression);

#endif
