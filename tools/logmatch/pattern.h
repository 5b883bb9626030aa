/* pattern - what each pattern of lib/logpattern means, and the expressions that find it
 * (spec#log-patterns). Data only. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGMATCH_PATTERN_H
#define LOGMATCH_PATTERN_H

#include "logpattern.h"
#include "printer.h"

enum pattern_severity {
	PATTERN_NONFATAL,
	PATTERN_FATAL,
	PATTERN_FATAL_ON_PF, /* fatal when the address is a physical function's, else non-fatal */
	PATTERN_HEALTHY,
};

/* What a pattern means. One per pattern. */
struct pattern {
	enum pattern_severity severity;
	/* A later recovery_succeeded of the same function answers it. */
	bool recoverable;
	/* Counts only when the line's address is that of a NIC, or of the port above one. */
	bool pcie;
	/* Of EFA adapters: the line may name the RDMA device, and no address. */
	bool efa;
	/* Found by the lock-up machine, not by one line; has no rows. */
	bool stateful;
};

const struct pattern *pattern_of(enum logpattern pattern);

/* A way to find a pattern. Several rows may belong to one; they are tried in the order of the
 * patterns. */
struct pattern_row {
	enum logpattern pattern;
	/* PCRE2. Its parts are joined by `.*`, and each part is a constant text, or something whose
	 * shortest match from the left is as good as any other: so that a line is decided in one
	 * pass, however it is made (see matcher.c). */
	const char *expression;
	/* A text of at least 7 bytes that is in every line that matches: only lines that have it
	 * are looked at. */
	const char *key;
	/* Which forms the message has, see printer.h, and PCRE2 for how its body begins there:
	 * without these an expression would find a name that somebody has given to a file. Decides
	 * in a few steps at one place. */
	unsigned forms;
	const char *start;
};

extern const struct pattern_row pattern_rows[];
extern const size_t pattern_row_count;

/* Messages that say that messages were left out: `NAME: N callbacks suppressed` of the driver. */
#define PATTERN_SUPPRESSED_KEY "callbacks suppressed"

/* Writes a line for each pattern to stdout: name, set, severity, and the expressions that find it.
 * 0, or -1 with errno. */
int pattern_list(void);

#endif
