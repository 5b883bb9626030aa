/* open - the conditions of a group that no healthy event has answered yet. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORRELATE_OPEN_H
#define CORRELATE_OPEN_H

#include "sighting.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Conditions remembered. When full, further ones are not: the oldest decide. */
#define OPEN_MAX 64

/* All zeros: none. Times are microseconds since 1970. */
struct open {
	struct open_condition {
		uint64_t at_us;         /* when it began */
		struct sighting *event; /* that began it */
	} * items;                      /* oldest first */
	size_t count;
	uint64_t from_us; /* what began before lasts since then: nobody saw it before; 0: none */
};

/* Add the condition that the event reports, and hold the event. Return 1; or 0 if the condition is
 * open already or there are too many; or -1 with errno when memory ran out. */
int open_add(struct open *open, uint64_t at_us, struct sighting *event);

/* Remove the conditions that the healthy event answers, or all if it is NULL, but none that began
 * after `at_us`. Return true if there was one. */
bool open_end(struct open *open, uint64_t at_us, const struct sighting *healthy);

/* Return since when the oldest condition lasts. There must be one. */
uint64_t open_since_us(const struct open *open);

/* The clock was set back by `by_us`: move all times back. */
void open_set_back(struct open *open, uint64_t by_us);

void open_fini(struct open *open);

#endif
