/* judged - tells the decisions of the last scan: those without consequence grouped by reason, the
 * others one by one with numbers. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NICWHY_JUDGED_H
#define NICWHY_JUDGED_H

#include "speech.h"
#include "story.h"

void judged_tell(const struct story *story, struct speech *speech);

#endif
