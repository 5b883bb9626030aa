/* fault - points at which a test kills the process. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "fault.h"

#include "num.h"
#include "words.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>

static const char *const names[FAULT_N] = {[FAULT_STORE] = "store", [FAULT_SEND] = "send"};

/* Passes left until SIGKILL; 0: never. */
static uint64_t left[FAULT_N];

const char *
fault_accept(void *target, const struct opt_given *given)
{
	(void)target;
	const char *text = given->value;
	size_t length = strcspn(text, ":");
	uint64_t count = 1;
	if (text[length] == ':' &&
		(num_parse_u64(text + length + 1, UINT64_MAX, &count) != NUM_OK || count == 0))
		return "not a number from 1";
	for (size_t i = 0; i < FAULT_N; i++) {
		if (!words_equal(names[i], text, length))
			continue;
		left[i] = count;
		return NULL;
	}
	return "known: store, send";
}

void
fault_pass(enum fault_point point)
{
	if (left[point] > 0 && --left[point] == 0)
		raise(SIGKILL);
}
