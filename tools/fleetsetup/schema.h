/* schema - creates or updates the schema of a PostgreSQL database. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FLEETSETUP_SCHEMA_H
#define FLEETSETUP_SCHEMA_H

#include "../emit/out/pgdial.h"

#include <stdint.h>

/* Update the schema to this program's version and report each change on stdout. A change is applied
 * completely or not at all. `keep_ns`: retention time of events; 0: unchanged, or the default.
 * Return an exit code. spec#fleet-schema */
int schema_setup(const struct pgdial *dial, uint64_t timeout_ms, uint64_t keep_ns);

#endif
