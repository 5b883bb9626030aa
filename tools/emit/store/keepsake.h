/* keepsake - a copy of the standing conditions in the acks file, for when the spool is lost.
 *
 * Receivers believe in a fault until its recovery arrives, and writers report nothing twice. So
 * emit cannot ask the writers which faults stand, and keeps a copy outside the spool: {"serial":
 * <a newer keepsake has a higher one>, "boot_id": ..., "whole": <these are all>, "conditions":
 * [{<column of the table condition>: <value>, ...}, ...]}.
 *
 * While the acks file cannot be written, the latest keepsake is only in memory. A spool that was
 * restored from it must not be restored from the older one in the file after a restart. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_KEEPSAKE_H
#define EMIT_KEEPSAKE_H

#include "spool.h"

#include <jansson.h>

/* Give later keepsakes of the spool a higher serial than this one, which may be NULL. */
void keepsake_follow(struct spool *spool, const json_t *keepsake);

/* Copy the standing conditions of the spool: at most 256, fatal ones first, and 256 KiB. Return
 * NULL if `*status` is not OK or memory runs out. */
json_t *keepsake_new(struct spool *spool, enum database_status *status);

/* Repair the conditions of a spool that lost something. Add those of the keepsake that are missing,
 * except those that a healthy event in the spool ends. If the keepsake is whole, also end the
 * conditions that it lacks and that an event up to `acks` (acks.h: a seq per source, written with
 * the keepsake) opened. Change nothing if the spool was restored from a newer keepsake. `keepsake`
 * and `acks` may be NULL; malformed parts of them are skipped. */
enum database_status keepsake_restore(
	struct spool *spool, const json_t *keepsake, const json_t *acks);

#endif
