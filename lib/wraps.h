/* wraps - marks functions whose unsigned arithmetic is modulo a power of 2 on purpose. Everywhere
 * else a result that does not fit is a fault, which `make check-integer` finds. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_WRAPS_H
#define NHM_WRAPS_H

/* gcc has no such check. */
#ifdef __clang__
#define WRAPS __attribute__((no_sanitize("unsigned-integer-overflow")))
#else
#define WRAPS
#endif

#endif
