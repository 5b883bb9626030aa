/* announce - what is reported once: which of the configured counters the ports of this node have,
 * that its devices can no longer be listed, and that its character devices cannot be checked. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_ANNOUNCE_H
#define CTREVAL_ANNOUNCE_H

#include "check/eval.h"

/* What has been said. */
enum announced {
	ANNOUNCED_NOTHING,
	ANNOUNCED_NO_PORT,
	ANNOUNCED_COUNTERS,
	ANNOUNCED_UNLISTED, /* the counters, and then that nothing can be listed any more */
};

/* Says which counters the judged ports of a scan have, the first time there are any; before that,
 * once, that there are none. After that it says when the devices can no longer be listed, which is
 * no event, and when they can again. A scan that lost records is no basis for it. 0, or -1 when
 * memory ran out. */
int announce(
	enum announced *announced, const struct eval_setting *setting, const struct scan *scan);

/* Warns once when a class of character devices cannot be listed that an InfiniBand port should have
 * one in; `*warned` then becomes true. */
void announce_chardevs(bool *warned, const struct eval_setting *setting, const struct scan *scan);

#endif
