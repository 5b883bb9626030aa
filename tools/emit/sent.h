/* sent - the events that have arrived at a sink, by check and severity. Pure.
 *
 * All functions take NULL, and do nothing then. */
#ifndef EMIT_SENT_H
#define EMIT_SENT_H

#include <stddef.h>
#include <stdint.h>

/* Our checks, and behind them one name for all others: whatever records say, there are no more. */
#define SENT_CHECKS 6
#define SENT_OTHER (SENT_CHECKS - 1)
extern const char *const sent_checks[SENT_CHECKS];

enum sent_severity { SENT_NOT_FATAL, SENT_FATAL, SENT_SEVERITY_N };

struct sent {
	uint64_t arrived[SENT_CHECKS][SENT_SEVERITY_N];
	uint64_t on_its_way[SENT_CHECKS][SENT_SEVERITY_N];
};

/* An event has gone out: its line, `length` bytes with the newline. */
void sent_add(struct sent *sent, const char *line, size_t length);

/* All that has gone out has arrived. */
void sent_arrive(struct sent *sent);

/* It has not, and will go out again. */
void sent_forget(struct sent *sent);

#endif
