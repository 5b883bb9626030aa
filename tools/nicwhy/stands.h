/* stands - tells standing conditions, the sinks that know them, and silences. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NICWHY_STANDS_H
#define NICWHY_STANDS_H

#include "speech.h"
#include "story.h"

/* `now_ns`: current time of the story, ns since 1970; 0: unknown. */
void stands_tell(const struct story *story, uint64_t now_ns, struct speech *speech);

#endif
