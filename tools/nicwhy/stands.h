/* stands - what stands, since when, who was told of it, and what operators have said, in sentences.
 * Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NICWHY_STANDS_H
#define NICWHY_STANDS_H

#include "speech.h"
#include "story.h"

/* `now_ns`: since 1970, the moment for which it is told; 0: not known. */
void stands_tell(const struct story *story, uint64_t now_ns, struct speech *speech);

#endif
