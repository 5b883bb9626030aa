/* via - the sources from which ibevent reads the kernel's events, and lists of them. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "via.h"

#include "commalist.h"
#include "words.h"

#include <stddef.h>
#include <string.h>

const char *const via_names[VIA_N] = {
	[VIA_LINK] = "link",
	[VIA_UEVENT] = "uevent",
	[VIA_VERBS] = "verbs",
	[VIA_TRACE] = "trace",
};

static const char *
unknown_source(const char *name, size_t length)
{
	static struct words words;
	words_begin(&words, name, length);
	for (enum via via = 0; via < VIA_N; via++)
		words_offer(&words, via_names[via]);
	return words_unknown(&words, "source");
}

const char *
via_parse(bool wanted[VIA_N], const char *list)
{
	const char *word, *reason = "no source is given";
	size_t length;

	memset(wanted, 0, VIA_N * sizeof *wanted);
	while (commalist_next(&list, &word, &length)) {
		enum via via = 0;
		while (via < VIA_N && !words_equal(via_names[via], word, length))
			via++;
		if (via == VIA_N)
			return unknown_source(word, length);
		wanted[via] = true;
		reason = NULL;
	}
	return reason;
}

const char *
via_find_conflict(const bool wanted[VIA_N], bool has_trace)
{
	if (wanted[VIA_TRACE] && !has_trace)
		return "trace needs --trace";
	if (!wanted[VIA_TRACE] && has_trace)
		return "trace is not among them, but there is a --trace";
	if (wanted[VIA_VERBS] && !wanted[VIA_UEVENT])
		return "verbs needs uevent, which reports when to close a device";
	return NULL;
}
