/* conditionmetrics - metrics of a stage's standing conditions. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "conditionmetrics.h"

#include "array.h"
#include "text.h"
#include "utf8.h"

#include <stdio.h>
#include <string.h>

/* Longest label of two codes. Built-in counter names are shorter; those of a configuration of the
 * original may not be. */
#define CODE_MAX_BYTES 255

static const struct metrics_family standing = {"nic_health_monitor_standing_conditions",
	"Conditions that were reported and have not ended.", METRICS_GAUGE, METRICS_PROCESS};
static const struct metrics_family condition_family = {"nic_health_monitor_condition",
	"1 for each condition that was reported and has not ended.", METRICS_GAUGE,
	METRICS_PROCESS};

void
condition_metrics_init(
	struct condition_metrics *conditions, struct metrics *metrics, const char *stage)
{
	*conditions = (struct condition_metrics){.metrics = metrics};
	for (size_t fatal = 0; fatal < 2; fatal++) {
		const struct metrics_label labels[] = {
			{"stage", stage}, {"is_fatal", fatal ? "true" : "false"}};
		conditions->standing[fatal] =
			metrics_cell(metrics, &standing, labels, ARRAY_COUNT(labels));
	}
}

void
condition_metrics_fini(struct condition_metrics *conditions)
{
	for (size_t fatal = 0; fatal < 2; fatal++)
		metricsgroup_fini(&conditions->shown[fatal]);
}

void
condition_metrics_begin(struct condition_metrics *conditions)
{
	for (size_t fatal = 0; fatal < 2; fatal++)
		metricsgroup_begin(&conditions->shown[fatal]);
}

void
condition_metrics_add(
	struct condition_metrics *conditions, const struct condition_labels *condition)
{
	char port[24] = "", code[CODE_MAX_BYTES + 8]; /* room for a character that is cut */

	if (conditions->metrics == NULL)
		return;
	if (condition->port != 0)
		snprintf(port, sizeof port, "%lld", condition->port);
	snprintf(code, sizeof code, "%s%s%s", condition->code, condition->word != NULL ? "," : "",
		text_or_empty(condition->word));
	code[utf8_cut(code, strlen(code), CODE_MAX_BYTES)] = '\0';
	const struct metrics_label labels[] = {
		{"device", condition->device},
		{"port", port},
		{"check", condition->check},
		{"code", code},
		{"severity", condition->fatal ? "fatal" : "non_fatal"},
	};
	metricsgroup_set(&conditions->shown[condition->fatal],
		metrics_cell(conditions->metrics, &condition_family, labels, ARRAY_COUNT(labels)),
		1);
}

void
condition_metrics_end(struct condition_metrics *conditions)
{
	static const enum metrics_vital vitals[] = {
		METRICS_STANDING_DEGRADED, METRICS_STANDING_FATAL};

	size_t counts[2];

	for (size_t fatal = 0; fatal < 2; fatal++) {
		counts[fatal] = metricsgroup_end(&conditions->shown[fatal]);
		conditions->unknown &= counts[fatal] == 0;
	}
	for (size_t fatal = 0; fatal < 2; fatal++) {
		if (!conditions->unknown)
			metrics_set(conditions->standing[fatal], counts[fatal]);
		metrics_set_vital(conditions->metrics, vitals[fatal], counts[fatal]);
	}
}
