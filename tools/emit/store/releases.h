/* releases - applies silences to the spool: a new silence covers standing conditions and
 * undelivered events; when it ends, what still stands is reported again as a new event. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_RELEASES_H
#define EMIT_RELEASES_H

#include "silence.h"
#include "spool.h"

/* Mark the events after number `delivered` that a silence covers at `now_ns` (since 1970), as if
 * they arrived now. Store with each standing condition which silence covers it. Set `*released` to
 * an array, for json_decref(), with an event record for each condition that was covered and no
 * longer is, of a stream named after the silence. Each record has the first number that the spool
 * does not have of the stream: the caller counts on from there. The condition stays covered in the
 * spool until its event is stored. One whose event would be too long, and whose latest event the
 * spool lacks, gets no record, and is not covered any more. */
enum database_status releases_run(struct spool *spool, const struct silences *silences,
	uint64_t delivered, uint64_t now_ns, json_t **released);

#endif
