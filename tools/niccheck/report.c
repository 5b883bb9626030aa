/* report - formats a summary as lines for people, or as a record. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "report.h"

#include "text.h"
#include "utf8.h"

#include <string.h>

/* The headline is the status, in upper case if somebody should act. */
static const struct {
	const char *status, *headline, *level;
} words[FINDING_LEVEL_N] = {
	[FINDING_FATAL] = {"fatal", "FATAL", "fatal"},
	[FINDING_DEGRADED] = {"degraded", "DEGRADED", "degraded"},
	[FINDING_UNKNOWN] = {"unknown", "UNKNOWN", "unknown"},
	[FINDING_NOTE] = {"healthy", "healthy", "note"},
};

/* Texts may come from sysfs: escape control sequences for the terminal. */
static void
put(FILE *out, const json_t *text)
{
	char safe[4 * REC_EVENT_MAX_BYTES];
	const char *value = json_string_value(text);
	if (value == NULL)
		value = "?";
	utf8_escape(value, strlen(value), safe, sizeof safe);
	fputs(safe, out);
}

static void
put_counts(const struct summary *summary, FILE *out)
{
	fprintf(out, "%zu NIC%s, %zu port%s watched%s: %zu up", summary->nics,
		text_plural(summary->nics), summary->watched_ports,
		text_plural(summary->watched_ports),
		summary->roles ? "" : " without regard to their roles", summary->up_ports);
}

static bool
is_bad(const struct summary *summary)
{
	return summary_verdict(summary) != FINDING_NOTE;
}

void
report_line(const struct summary *summary, FILE *out)
{
	bool bad = is_bad(summary);

	fprintf(out, "%s: ", words[summary_verdict(summary)].headline);
	if (bad)
		put(out, summary->findings[0].text);
	else
		put_counts(summary, out);
	size_t more = summary->count - summary->counts[FINDING_NOTE] - (bad ? 1 : 0);
	if (more > 0)
		fprintf(out, " (and %zu more)", more);
	fputc('\n', out);
}

void
report_text(const struct summary *summary, FILE *out)
{
	bool bad = is_bad(summary);

	put(out, summary->node);
	fputs(": ", out);
	report_line(summary, out);
	for (size_t i = bad ? 1 : 0; i < summary->count; i++) {
		fprintf(out, "  %-8s  ", words[summary->findings[i].level].level);
		put(out, summary->findings[i].text);
		fputc('\n', out);
	}
	if (bad) {
		fputs("  ", out);
		put_counts(summary, out);
		fputc('\n', out);
	}
}

static json_t *
finding_new(const struct finding *finding)
{
	return json_pack("{s:s, s:O, s:s?, s:o, s:O?}", "level", words[finding->level].level,
		"message", finding->text, "device", finding->device, "port",
		finding->port != 0 ? json_integer(finding->port) : json_null(), "event",
		finding->event);
}

json_t *
report_json_new(const struct summary *summary)
{
	json_t *findings = json_array();
	for (size_t i = 0; i < summary->count; i++) {
		if (json_array_append_new(findings, finding_new(&summary->findings[i])) < 0) {
			json_decref(findings);
			return NULL;
		}
	}
	return json_pack("{s:s, s:i, s:O, s:O, s:O, s:s, s:i, s:b, s:I, s:I, s:I, s:o}", "kind",
		"check", "v", 1, "node", summary->node, "boot_id", summary->boot_id, "ts",
		summary->ts, "status", words[summary_verdict(summary)].status, "exit_code",
		summary_exit_code(summary), "roles", summary->roles, "devices",
		(json_int_t)summary->devices, "ports_watched", (json_int_t)summary->watched_ports,
		"ports_up", (json_int_t)summary->up_ports, "findings", findings);
}
