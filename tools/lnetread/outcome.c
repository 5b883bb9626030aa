/* outcome - finds what is missing in a read, and the message and exit code for it. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "diag.h"
#include "fault.h"
#include "lnet.h"
#include "sysfs.h"

#include <stdarg.h>
#include <stdio.h>

void
lnet_refuse(struct lnet *lnet, const char *format, ...)
{
	va_list arguments;
	if (lnet->is_malformed)
		return;
	lnet->is_malformed = true;
	va_start(arguments, format);
	vsnprintf(lnet->refusal, sizeof lnet->refusal, format, arguments);
	va_end(arguments);
}

static const char *
failure_name(const struct lnet_outcome *outcome)
{
	return outcome->error != 0 ? sysfs_errno_name(outcome->error) : "failed";
}

const char *
lnet_missing(const struct lnet *lnet, enum lnet_section section)
{
	const struct lnet_outcome *outcome = &lnet->outcomes[section];
	bool is_needed = section == LNET_NET || section == LNET_STATISTICS;

	if (lnet->is_malformed)
		return is_needed ? "malformed" : NULL;
	if (outcome->has_failed)
		return failure_name(outcome);
	if (outcome->is_present || !is_needed)
		return NULL;
	return lnet->device.has_failed ? failure_name(&lnet->device) : "missing";
}

/* Return LNET_SECTION_N if no section is missing. */
static enum lnet_section
first_missing(const struct lnet *lnet)
{
	enum lnet_section section = 0;
	while (section < LNET_SECTION_N && lnet_missing(lnet, section) == NULL)
		section++;
	return section;
}

bool
lnet_is_complete(const struct lnet *lnet)
{
	return first_missing(lnet) == LNET_SECTION_N && !lnet->is_cut;
}

/* Return the failure that decides the exit code, or NULL. A failure to open the device does not
 * count if no section is missing. */
static const struct lnet_outcome *
find_failure(const struct lnet *lnet)
{
	for (size_t i = 0; i < LNET_SECTION_N; i++)
		if (lnet->outcomes[i].has_failed)
			return &lnet->outcomes[i];
	return lnet->device.has_failed && first_missing(lnet) < LNET_SECTION_N ? &lnet->device
									       : NULL;
}

static bool
is_empty(const struct lnet *lnet)
{
	for (size_t i = 0; i < LNET_SECTION_N; i++)
		if (lnet->outcomes[i].is_present)
			return false;
	return true;
}

static int __attribute__((format(printf, 3, 4)))
describe(char *reason, int code, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(reason, LNET_REASON_SIZE, format, arguments);
	va_end(arguments);
	return code;
}

int
lnet_problem(const struct lnet *lnet, char reason[LNET_REASON_SIZE])
{
	const struct lnet_outcome *failure = find_failure(lnet);
	enum lnet_section missing = first_missing(lnet);
	*reason = '\0';
	if (lnet->is_malformed)
		return describe(reason, EXIT_DATA, "%s", lnet->refusal);
	if (failure != NULL)
		return describe(reason, fault_exit_code(failure->error), "lnetctl failed: %s",
			*lnet->failure != '\0' ? lnet->failure : failure_name(failure));
	if (is_empty(lnet))
		return describe(reason, EXIT_NO_INPUT, "it has no output of lnetctl");
	if (lnet->is_cut)
		return describe(reason, EXIT_DATA, "its end is missing");
	if (missing < LNET_SECTION_N)
		return describe(reason, EXIT_DATA, "it lacks %s", lnet_section_names[missing]);
	if (*lnet->unreadable != '\0')
		return describe(reason, EXIT_DATA, "not what lnetctl prints: %s", lnet->unreadable);
	return 0;
}
