/* num - strict numbers, durations and sizes: the whole text is the number, or there is none. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_NUM_H
#define NHM_NUM_H

#include <stddef.h>
#include <stdint.h>

enum num_status {
	NUM_OK,
	NUM_MALFORMED, /* empty, a sign, white space, or anything but the number */
	NUM_RANGE,     /* a number, but beyond what is allowed */
};

/* Decimal digits only. `max` is the largest value allowed. `*out` is set only on NUM_OK. */
enum num_status num_parse_u64(const char *text, uint64_t max, uint64_t *out);

/* `0x` and hexadecimal digits, the form of sysfs' lid and vendor files. */
enum num_status num_parse_hex(const char *text, uint64_t max, uint64_t *out);

/* Decimal number, optionally with a sign, a fraction and an exponent; never NaN or infinite. */
enum num_status num_parse_double(const char *text, double *out);

/* Numbers with units, `d`, `h`, `m`, `s`, `ms`, `us` (or `µs`) and `ns`, as in `250ms`, `1s`,
 * `1m30s`, `1.5h`; `0` needs none. Like Go's time.ParseDuration, but without signs, with `d`, with
 * a digit before a point, and each unit shorter than the one before. Result in nanoseconds, at most
 * `max_ns`; what is less than one is cut off. */
enum num_status num_parse_duration(const char *text, uint64_t max_ns, uint64_t *out_ns);

/* Room for a duration, and a NUL. */
#define NUM_DURATION_SIZE 64

/* The duration as num_parse_duration() reads it, with as few units as can be: `7d`, `1h30m`, `0s`.
 * Nothing is cut off. */
void num_format_duration(uint64_t ns, char out[NUM_DURATION_SIZE]);

/* Digits and one of `KiB`, `MiB`, `GiB` and `TiB`. Result in bytes, at most `max_bytes`. */
enum num_status num_parse_size(const char *text, uint64_t max_bytes, uint64_t *out_bytes);

/* Room for the decimal digits of any 64-bit number, and a NUL. */
#define NUM_U64_SIZE 21

/* The number in decimal digits; returns how many, without the NUL. For where printf would take too
 * long. */
size_t num_format_u64(uint64_t value, char out[NUM_U64_SIZE]);

#define NUM_NS_PER_US UINT64_C(1000)
#define NUM_NS_PER_MS UINT64_C(1000000)
#define NUM_NS_PER_S UINT64_C(1000000000)

#endif
