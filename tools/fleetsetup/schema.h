/* schema - what a database of PostgreSQL needs to store the events of a fleet. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FLEETSETUP_SCHEMA_H
#define FLEETSETUP_SCHEMA_H

#include "../emit/out/pgdial.h"

#include <stdint.h>

/* Brings the schema of the database up to what this program knows, each change as a whole or not
 * at all, and says on stdout what it has done. `keep_ns`: how long events are kept; 0: as it is, or
 * by default. Returns an exit code. spec#fleet-schema */
int schema_setup(const struct pgdial *dial, uint64_t timeout_ms, uint64_t keep_ns);

#endif
