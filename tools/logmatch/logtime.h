/* logtime - the moment of a line on one scale, nanoseconds since 1970, whatever clock the line has it on. */
#ifndef LOGMATCH_LOGTIME_H
#define LOGMATCH_LOGTIME_H

#include "logline.h"

/* The time zone's offsets in one quarter of an hour of civil time, looked up once for all lines of it. Private to logtime.c. */
struct logtime_zone {
	bool known;
	uint64_t quarter;
	/* Two, the later moment last, when clocks were put back and the civil time came twice; else the same. */
	int64_t offsets_s[2];
};

struct logtime {
	uint64_t boot_ns; /* when the kernel that wrote the log was booted, since 1970 */
	/* The time of reading, since 1970: for lines without a time, and for the year of those without a year. */
	uint64_t now_ns;
	struct logtime_zone zone; /* all zeros at first */
};

/* The moment of a line. Civil times are of the time zone TZ, which tzset() has read; a time without a year is of the latest year in which it is not more
 * than a day after now_ns. A civil time that clocks showed twice is the later one, unless that is not yet; one that they left out is as much later.
 * What is before 1970 is 1970, what is beyond 64 bits their last. */
uint64_t logtime_resolve(struct logtime *base, const struct logline *line);

#endif
