/* randomness - pseudo-random numbers that are the same in every run. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RANDOMNESS_H
#define RANDOMNESS_H

#include "wraps.h"

#include <stddef.h>
#include <stdint.h>

/* splitmix64, modulo 2^64, from any state. */
WRAPS static inline uint64_t
randomness_next(uint64_t *state)
{
	uint64_t mixed = *state += UINT64_C(0x9E3779B97F4A7C15);
	mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
	mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94D049BB133111EB);
	return mixed ^ (mixed >> 31);
}

/* Return a number from 0 to count-1. */
static inline size_t
randomness_below(uint64_t *state, size_t count)
{
	return (size_t)(randomness_next(state) % count);
}

#endif
