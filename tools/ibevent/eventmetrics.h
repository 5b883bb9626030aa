/* eventmetrics - what ibevent hands up about itself, in a page of metrics: how often each thing has
 * happened, also when its record was dropped. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBEVENT_EVENTMETRICS_H
#define IBEVENT_EVENTMETRICS_H

#include "metrics.h"
#include "notice.h"

/* Shows that the sources have lost nothing so far. `metrics` may be NULL, here and below: nothing
 * is counted then. */
void eventmetrics_init(struct metrics *metrics, const bool wanted[NOTICE_VIA_N]);

/* Counts what a source reports, as often as its `count` says. */
void eventmetrics_count(struct metrics *metrics, const struct notice *notice);

#endif
