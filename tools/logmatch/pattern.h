/* pattern - severities of the patterns in lib/logpattern, and the expressions that match them
 * (spec#log-patterns). Data only. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGMATCH_PATTERN_H
#define LOGMATCH_PATTERN_H

#include "logpattern.h"
#include "printer.h"

enum pattern_severity {
	PATTERN_NONFATAL,
	PATTERN_FATAL,
	PATTERN_FATAL_ON_PF, /* fatal if the address is a physical function's, else non-fatal */
	PATTERN_HEALTHY,
};

/* Properties of a pattern. */
struct pattern {
	enum pattern_severity severity;
	/* A later recovery_succeeded of the same function ends it. */
	bool recoverable;
	/* Counts only if the line's address is that of a NIC or of the port above one. */
	bool pcie;
	/* About EFA adapters: the line may name the RDMA device instead of an address. */
	bool efa;
	/* Detected by lockup.c across several lines; has no rows. */
	bool stateful;
};

/* Return the properties of the pattern, never NULL. */
const struct pattern *pattern_of(enum logpattern pattern);

/* An expression that matches a pattern. A pattern may have several rows; matcher.c tries rows in
 * the order of the patterns. */
struct pattern_row {
	enum logpattern pattern;
	/* PCRE2. Parts joined by `.*`. Each part is a constant text, or its shortest match from the
	 * left is as good as any other. So one pass decides any line, even one crafted to be slow
	 * (see matcher.c). */
	const char *expression;
	/* A text of at least 7 bytes that every matching line contains. Only lines with a key are
	 * searched. */
	const char *key;
	/* Allowed forms of the message (printer.h), and PCRE2 for the start of its body. Without
	 * these, the expression would also match a file name that a user chose. Anchored, so it
	 * takes few steps. */
	unsigned forms;
	const char *start;
};

extern const struct pattern_row pattern_rows[];
extern const size_t pattern_row_count;

/* Part of the driver's messages about suppressed messages: `NAME: N callbacks suppressed`. */
#define PATTERN_SUPPRESSED_KEY "callbacks suppressed"

/* Print each pattern to stdout: name, set, severity and expressions. Return 0, or -1 with errno. */
int pattern_list(void);

#endif
