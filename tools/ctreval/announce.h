/* announce - messages that are printed once: the available counters, and device classes that cannot
 * be listed. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_ANNOUNCE_H
#define CTREVAL_ANNOUNCE_H

#include "check/eval.h"

/* What was announced. */
enum announced {
	ANNOUNCED_NOTHING,
	ANNOUNCED_NO_PORT,
	ANNOUNCED_COUNTERS,
	ANNOUNCED_UNLISTED, /* the counters, and later that the devices cannot be listed */
};

/* Print which counters the watched ports have, in the first scan with such ports; before that,
 * once, that there are none, if all devices could be read. Later print when the devices can no
 * longer be listed, which is no event, and when they can again. Ignores incomplete scans. Return 0,
 * or -1 when memory ran out. */
int announce(
	enum announced *announced, const struct eval_setting *setting, const struct scan *scan);

/* Warn once if a class of character devices cannot be listed although the node has a watched
 * InfiniBand port. Sets `*warned`. */
void announce_chardevs(bool *warned, const struct eval_setting *setting, const struct scan *scan);

#endif
