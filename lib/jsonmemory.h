/* jsonmemory - ends the program when memory for JSON runs out. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_JSONMEMORY_H
#define NHM_JSONMEMORY_H

/* From now on, if an allocation of jansson fails, report that and exit with EXIT_OS. jansson itself
 * hides such failures: it reports valid text as malformed, and omits members of the values it
 * builds. Also tunes malloc() for JSON. Call it in main() before starting threads. */
void jsonmemory_require(void);

#endif
