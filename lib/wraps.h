/* wraps - marks functions that use unsigned wrap-around on purpose. Anywhere else, `make
 * check-integer` treats it as a fault. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_WRAPS_H
#define NHM_WRAPS_H

/* gcc lacks this sanitizer. */
#ifdef __clang__
#define WRAPS __attribute__((no_sanitize("unsigned-integer-overflow")))
#else
#define WRAPS
#endif

#endif
