/* progress - finds stages that have ended or make no progress. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERVISOR_PROGRESS_H
#define SUPERVISOR_PROGRESS_H

#include "keeper.h"

#include <stdint.h>

/* Reap all stages that have ended, kill those that make no progress, and tell emit until when all
 * writers have written. */
void progress_watch(struct keeper *keeper, uint64_t now_ns);

#endif
