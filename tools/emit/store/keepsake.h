/* keepsake - a copy in the acks file of the conditions that stand, for when the spool is lost.
 *
 * Receivers that were told of a fault believe it until its recovery comes, and writers report
 * nothing twice. So emit cannot ask the writers what stands, and keeps a copy where the spool is
 * not: {"boot_id": ..., "whole": <these are all>, "conditions": [{<column of the table condition>:
 * <value>, ...}, ...]}. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_KEEPSAKE_H
#define EMIT_KEEPSAKE_H

#include "spool.h"

#include <jansson.h>

/* What stands in the spool: the first 256 conditions, fatal ones first, and 256 KiB of them. NULL
 * with a status that is not OK, or when memory ran out. */
json_t *keepsake_new(struct spool *spool, enum database_status *status);

/* Repairs the conditions of a spool that has lost something. Adds those of the keepsake that it
 * lacks, except what a healthy event in the spool takes back. If the keepsake has all conditions,
 * it also ends those that it lacks and that an event up to those in `acks` has opened (acks.h: a
 * number per source, written with the keepsake). `keepsake` and `acks` may be NULL; a part of them
 * that is not what it should be is left out. */
enum database_status keepsake_restore(
	struct spool *spool, const json_t *keepsake, const json_t *acks);

#endif
