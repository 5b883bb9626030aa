/* rolereason - why topoclass gave a device its role, for people. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_ROLEREASON_H
#define NHM_ROLEREASON_H

#include <stdbool.h>

/* What the `reason` of a device's record means, as a clause, such as `its NUMA node has no GPU`;
 * NULL for a word that topoclass does not write. */
const char *rolereason_words(const char *reason, bool monitored);

#endif
