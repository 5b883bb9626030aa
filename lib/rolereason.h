/* rolereason - explains why topoclass gave a device its role. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_ROLEREASON_H
#define NHM_ROLEREASON_H

#include <stdbool.h>

/* Return the meaning of a device record's `reason` as a clause, such as `its NUMA node has no GPU`;
 * NULL for a word that topoclass does not write. */
const char *rolereason_words(const char *reason, bool monitored);

#endif
