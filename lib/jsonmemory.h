/* jsonmemory - a program that has no memory for JSON ends. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_JSONMEMORY_H
#define NHM_JSONMEMORY_H

/* From now on, the program says that memory ran out and ends with EXIT_OS when jansson gets none.
 * jansson itself does not tell: it calls text that it had no memory for malformed, and leaves out
 * members of what it makes. malloc() is set up for JSON, too. To be called by main() before there
 * are threads. */
void jsonmemory_require(void);

#endif
