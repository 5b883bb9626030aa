/* eventmetrics - ibevent's metrics: how often each event occurred, even if its record was
 * dropped. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBEVENT_EVENTMETRICS_H
#define IBEVENT_EVENTMETRICS_H

#include "metrics.h"
#include "notice.h"

/* Create the counters of gaps, at 0, for the wanted sources. `metrics` may be NULL, here and below;
 * then nothing is counted. */
void eventmetrics_init(struct metrics *metrics, const bool wanted[VIA_N]);

/* Count a notice `count` times, or once if it is a gap. */
void eventmetrics_count(struct metrics *metrics, const struct notice *notice);

#endif
