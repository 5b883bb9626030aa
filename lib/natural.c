/* natural - the order people expect of names: mlx5_2 before mlx5_10. */
#include "natural.h"

#include <string.h>

#define DIGITS "0123456789"

/* Compares two runs of digits as numbers. */
static int
compare_runs(const char *a, size_t a_length, const char *b, size_t b_length)
{
	while (a_length > 1 && *a == '0') {
		a++;
		a_length--;
	}
	while (b_length > 1 && *b == '0') {
		b++;
		b_length--;
	}
	if (a_length != b_length)
		return a_length < b_length ? -1 : 1;
	return memcmp(a, b, a_length);
}

int
natural_compare(const char *a, const char *b)
{
	const char *a_start = a, *b_start = b;

	while (*a != '\0' && *b != '\0') {
		size_t a_digits = strspn(a, DIGITS), b_digits = strspn(b, DIGITS);

		if (a_digits > 0 && b_digits > 0) {
			int order = compare_runs(a, a_digits, b, b_digits);
			if (order != 0)
				return order;
			a += a_digits;
			b += b_digits;
			continue;
		}
		if (*a != *b)
			return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
		a++;
		b++;
	}
	if (*a != *b)
		return *a == '\0' ? -1 : 1;
	return strcmp(a_start, b_start);
}
