/* judged - what the last scan's decisions say, in sentences: what nothing has come of together, the
 * rest one by one, with its numbers. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NICWHY_JUDGED_H
#define NICWHY_JUDGED_H

#include "speech.h"
#include "story.h"

void judged_tell(const struct story *story, struct speech *speech);

#endif
