/* remarks - the last column: why a row is marked, and the error counters that have counted. Pure. */
#ifndef IBSCAN_REMARKS_H
#define IBSCAN_REMARKS_H

#include "errorcounts.h"
#include "rows.h"

/* Room for all of it. */
#define REMARKS_SIZE 4096

struct remarks {
	char reason[4 * ROW_REASON_SIZE]; /* escaped; may be "" */
	struct errorcount counts[ERRORCOUNTS_MAX];
	size_t count;
};

void remarks_of(const struct row *row, const struct counter_list *list, struct remarks *remarks);

/* As much of it as `width` has room for: the reason, then the counters, the most serious first, then how many were left out:
 * `peers are up; link_downed=3 symbol_error>=65535 +4`. The reason and the first counter are there however long they are.
 * Returns its length. */
size_t remarks_format(const struct remarks *remarks, size_t width, char text[REMARKS_SIZE]);

/* True when it says in `width` what must be said: all of it where there is a reason, else at least one counter. */
bool remarks_fit(const struct remarks *remarks, size_t width);

#endif
