/* listing - the patterns, for people. */
#include "listing.h"

#include "pattern.h"

#include <stdio.h>

static const char *
severity_of(enum logpattern pattern)
{
	switch (pattern_of(pattern)->severity) {
	case PATTERN_NONFATAL:
		return "non-fatal";
	case PATTERN_FATAL:
		return "fatal";
	case PATTERN_FATAL_ON_PF:
		return "fatal on a physical function";
	case PATTERN_HEALTHY:
		return "healthy";
	}
	return "";
}

int
listing_print(void)
{
	for (enum logpattern pattern = 0; pattern < LOGPATTERN_N; pattern++) {
		printf("%s (%s, %s)\n", logpattern_name(pattern),
			logpattern_is_extended(pattern) ? "extended" : "core",
			severity_of(pattern));
		if (pattern_of(pattern)->stateful)
			printf("\tseveral lines, see the manual\n");
		for (size_t row = 0; row < pattern_row_count; row++) {
			if (pattern_rows[row].pattern == pattern)
				printf("\t%s\n", pattern_rows[row].expression);
		}
	}
	return fflush(stdout) == 0 && !ferror(stdout) ? 0 : -1;
}
