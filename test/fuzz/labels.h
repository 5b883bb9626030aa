/* labels - checks the labels of a sample in Prometheus text. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LABELS_H
#define LABELS_H

#include <assert.h>
#include <string.h>

#define DIGITS "0123456789"

/* Return the end of the labels that begin at `at`. Their names consist of `letters` and do not
 * begin with a digit. */
static inline const char *
skip_labels(const char *at, const char *letters)
{
	do {
		at++; /* { or , */
		size_t key = strspn(at, letters);
		assert(key > 0 && strchr(DIGITS, *at) == NULL);
		assert(at[key] == '=' && at[key + 1] == '"');
		for (at += key + 2; *at != '"'; at++) {
			assert(*at != '\0' && (*at != '\\' || strchr("\\n\"", at[1]) != NULL));
			if (*at == '\\')
				at++;
		}
		at++;
	} while (*at == ',');
	assert(*at == '}');
	return at + 1;
}

#endif
