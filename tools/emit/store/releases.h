/* releases - silences, and what is in the spool: a silence that begins covers what stands already,
 * and what is still to be delivered; and what stands when it is over is said again, as a new
 * event. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_RELEASES_H
#define EMIT_RELEASES_H

#include "silence.h"
#include "spool.h"

/* Marks the events after number `delivered` that a silence covers at `now_ns`, nanoseconds since
 * 1970, as if they came now. Notes with each condition that stands which silence covers it.
 * `*released` becomes an array of event records, for json_decref(), one for each that was covered
 * and is not any more: it stays covered in the spool until its event, which has a number of no
 * stream yet, is stored there. */
enum database_status releases_run(struct spool *spool, const struct silences *silences,
	uint64_t delivered, uint64_t now_ns, json_t **released);

#endif
