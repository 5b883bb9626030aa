/* retry - how long to wait before a sink is tried again: exponential, with full jitter. Pure. */
#ifndef EMIT_RETRY_H
#define EMIT_RETRY_H

#include <stdint.h>

#define RETRY_FIRST_MS 100
#define RETRY_MOST_MS 30000

/* Delay in milliseconds before attempt number `attempt` (from 1) after a failure: evenly spread, by `random`, over
 * 1 ms to 100 ms doubled with each attempt, at most 30 s. Many nodes that lost one collector together come back spread. */
uint64_t retry_delay_ms(unsigned attempt, uint32_t random);

#endif
