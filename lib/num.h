/* num - parses numbers, durations and sizes strictly: the whole text must match. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_NUM_H
#define NHM_NUM_H

#include <stddef.h>
#include <stdint.h>

enum num_status {
	NUM_OK,
	NUM_MALFORMED, /* empty, or with a sign, white space or other characters */
	NUM_RANGE,     /* a number outside the allowed range */
};

/* Parse decimal digits only. `max` is the largest value allowed. `*out` is set only on NUM_OK. */
enum num_status num_parse_u64(const char *text, uint64_t max, uint64_t *out);

/* Parse `0x` and hexadecimal digits, as in sysfs' lid and vendor files. */
enum num_status num_parse_hex(const char *text, uint64_t max, uint64_t *out);

/* Parse a decimal number with optional sign, fraction and exponent; never NaN or infinite. */
enum num_status num_parse_double(const char *text, double *out);

/* Parse numbers with the units `d`, `h`, `m`, `s`, `ms`, `us` (or `µs`) and `ns`, such as `250ms`,
 * `1s`, `1m30s`, `1.5h`; `0` needs no unit. Like Go's time.ParseDuration, but without signs, with
 * `d`, with digits required on both sides of a point, and with each unit shorter than the previous
 * one. The result is in nanoseconds, at most `max_ns`; fractions of a nanosecond are cut off. */
enum num_status num_parse_duration(const char *text, uint64_t max_ns, uint64_t *out_ns);

/* Room for a duration and a NUL. */
#define NUM_DURATION_SIZE 64

/* Format a duration for num_parse_duration(), exactly and with as few units as possible: `7d`,
 * `1h30m`, `0s`. */
void num_format_duration(uint64_t ns, char out[NUM_DURATION_SIZE]);

/* Parse digits followed by `KiB`, `MiB`, `GiB` or `TiB`. The result is in bytes, at most
 * `max_bytes`. */
enum num_status num_parse_size(const char *text, uint64_t max_bytes, uint64_t *out_bytes);

/* Room for the decimal digits of any 64-bit number and a NUL. */
#define NUM_U64_SIZE 21

/* Format a number in decimal digits. Return their count, without the NUL. Faster than printf. */
size_t num_format_u64(uint64_t value, char out[NUM_U64_SIZE]);

#define NUM_NS_PER_US UINT64_C(1000)
#define NUM_NS_PER_MS UINT64_C(1000000)
#define NUM_NS_PER_S UINT64_C(1000000000)

#endif
