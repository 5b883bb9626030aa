/* confined - what the service keeps when it gives up all that it does not need. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "confined.h"

#include "confine.h"

#include <string.h>

/* What --sink begins with when it is a file, which emit makes, and makes again when it was
 * rotated away. */
static const char file_scheme[] = "file:";

int
confined_enter(const char *programs, const struct service_options *options)
{
	const char *const kept[] = {options->state_path, options->log_state_path,
		options->pattern_state_path, options->acks_path, options->spool_path};
	struct confine confine;
	confine_init(&confine, "nic-health-monitor", options->confine);
	for (enum stage_id id = 0; id < STAGE_N; id++)
		confine_allow_starting(&confine, programs, pipeline_plan[id].program);
	for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
		confine_allow_beside(&confine, kept[i], LANDLOCK_KEEP);
	for (size_t i = 0; i < options->sink_word_count; i++) {
		const char *word = options->sink_words[i];
		if (strncmp(word, file_scheme, sizeof file_scheme - 1) == 0)
			confine_allow_beside(
				&confine, word + sizeof file_scheme - 1, LANDLOCK_KEEP);
	}
	confine_allow(&confine, "/dev/infiniband", LANDLOCK_DEVICE);
	/* The port may be somebody else's for a while. */
	if (options->metrics_port >= 0)
		confine_allow_listening(&confine, (uint16_t)options->metrics_port);
	return confine_enter(&confine);
}
