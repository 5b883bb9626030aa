/* analysis - matches, evaluates and reports one line of a log. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis.h"

#include "cursor.h"
#include "diag.h"

#include <inttypes.h>
#include <string.h>

/* Larger than any count of the kernel. */
#define SUPPRESSED_MAX UINT64_C(999999999999999999)

void
analysis_fini(struct analysis *analysis)
{
	pcilook_free(analysis->look);
	matcher_free(analysis->matcher);
}

/* --- malformed lines --- */

void
analysis_skip(struct analysis *analysis, const struct analysis_place *place, const char *reason)
{
	metrics_add(analysis->metrics.malformed, 1);
	if (analysis->bad++ == 0)
		diag_warn("%s: %s %" PRIu64 ": %s: skipped", place->name, place->unit,
			place->number, reason);
}

void
analysis_end_input(struct analysis *analysis, const char *name)
{
	if (analysis->bad > 1)
		diag_warn("%s: %" PRIu64 " lines in a row were skipped", name, analysis->bad);
	analysis->bad = 0;
}

/* --- findings --- */

/* Ignore errors of other devices: they share the bus with NICs. */
static bool
is_relevant(const struct eval_facts *facts)
{
	return facts->is_nic || facts->is_above_nic;
}

static int
report(struct analysis *analysis, struct eval_finding *finding, const struct eval_facts *facts)
{
	struct eval_report made;
	char id[STANDING_ID_SIZE];

	output_begin_event(analysis->output, finding->time_ns, finding->text, finding->length);
	output_next_id(analysis->output, id);
	while (eval_report(&analysis->setting, &analysis->memory, finding, facts, id, &made)) {
		if (output_event(analysis->output, &made.event) < 0)
			return -1;
		output_next_id(analysis->output, id);
	}
	return 0;
}

/* Write an event that no line caused. Its own text names the stream. */
static int
write_report(struct analysis *analysis, const struct eval_report *made, uint64_t time_ns)
{
	output_begin_event(analysis->output, time_ns, made->message, made->event.message_length);
	return output_event(analysis->output, &made->event);
}

int
analysis_begin(struct analysis *analysis)
{
	struct eval_report made;
	const char *strategy = analysis->baseline;

	if (strategy == NULL)
		return 0;
	analysis->baseline = NULL;
	eval_baseline(strategy, analysis->time.boot_ns, &made);
	return write_report(analysis, &made, analysis->time.boot_ns);
}

int
analysis_take_back(struct analysis *analysis, uint64_t time_ns)
{
	struct eval_report made;

	while (eval_take_back(&analysis->setting, &analysis->memory, time_ns, &made)) {
		if (write_report(analysis, &made, time_ns) < 0)
			return -1;
	}
	return 0;
}

/* A fatal finding for which there is only text must name the PCI address of a NIC of this node.
 * Reports of lock-ups name no address, so they are exempt. */
static bool
needs_nic(const struct analysis *analysis, const struct eval_finding *finding)
{
	const struct pattern *meaning = pattern_of(finding->pattern);
	return finding->is_text && analysis->is_own_boot && !meaning->stateful &&
	       (meaning->severity == PATTERN_FATAL || meaning->severity == PATTERN_FATAL_ON_PF);
}

static const struct eval_facts *
look_up(const struct analysis *analysis, const struct eval_finding *finding, unsigned wanted)
{
	return pattern_of(finding->pattern)->efa
		       ? pcilook_get_efa(analysis->look, finding->pci, finding->device)
		       : pcilook_get(analysis->look, finding->pci, wanted);
}

static int
accept_finding(struct analysis *analysis, struct eval_finding *finding)
{
	const struct pattern *meaning = pattern_of(finding->pattern);
	bool is_doubted = needs_nic(analysis, finding);
	unsigned wanted = (meaning->pcie || is_doubted ? PCILOOK_PLACE : 0) |
			  (meaning->severity == PATTERN_FATAL_ON_PF ? PCILOOK_FUNCTION : 0);

	if (meaning->pcie || !analysis->counting)
		subject_find_pci(finding->text, finding->length, finding->pci);
	if (meaning->pcie && !is_relevant(pcilook_get(analysis->look, finding->pci, wanted)))
		return 0;
	metrics_add(analysis->metrics.matches[finding->pattern], 1);
	if (analysis->counting) {
		analysis->counts[finding->pattern]++;
		return 0;
	}
	subject_find(finding->pci, finding->text, finding->length, finding->device);
	bool told = eval_is_reported(&analysis->setting, &analysis->memory, finding);
	const struct eval_facts *facts = NULL;
	/* Noise control only counts this match: read from sysfs just what its severity depends
	 * on. */
	if (told || wanted != 0)
		facts = look_up(analysis, finding, wanted);
	finding->is_doubted = is_doubted && !is_relevant(facts);
	metrics_add(analysis->metrics.errors[finding->pattern]
					    [eval_is_fatal(&analysis->memory, finding, facts)],
		1);
	return told ? report(analysis, finding, facts) : 0;
}

/* A line that is `mlx5_cmd_out_err: 12 callbacks suppressed` (___ratelimit(), lib/ratelimit.c): the
 * kernel dropped messages before they reached the log. */
static int
accept_suppressed(struct analysis *analysis, const char *text, size_t length, uint64_t time_ns)
{
	char source[64];
	struct cursor at = {text, text + length};
	const char *colon = memchr(text, ':', length);
	uint64_t lost = 0;

	if (analysis->counting || colon == NULL || !cursor_skip_text(&at, "mlx5_") ||
		(size_t)(colon - text) >= sizeof source)
		return 0;
	at.at = colon + 1;
	cursor_skip_blanks(&at);
	if (!cursor_parse_number(&at, SUPPRESSED_MAX, &lost) ||
		!cursor_skip_text(&at, " " PATTERN_SUPPRESSED_KEY) || !cursor_at_end(&at))
		return 0;
	memcpy(source, text, (size_t)(colon - text));
	source[colon - text] = '\0';
	logmetrics_count_gap(&analysis->metrics, lost);
	return output_gap(analysis->output, source, lost, time_ns);
}

/* A record of the kernel names the device that a driver's message is about. Without that name, the
 * driver did not write the record. */
static bool
is_proven(const struct logline *parsed, const struct match *match)
{
	return match->pattern == LOGPATTERN_N || parsed->evidence == LOGLINE_TEXT ||
	       printer_is_named(&match->printer, parsed->subsystem.at, parsed->subsystem.length,
		       parsed->device.at, parsed->device.length);
}

/* A line feed in the message is treated like any other byte. */
static int
accept_message(struct analysis *analysis, const struct analysis_place *place,
	const struct logline *parsed, uint64_t meaning)
{
	const char *text = parsed->text;
	size_t length = parsed->length;
	struct match match = matcher_match(analysis->matcher, text, length, meaning);
	struct lockup *lockup = &analysis->memory.lockup;
	bool concerns_lockup = match.is_frame || lockup_counts_lines(lockup);

	if (match.gave_up)
		analysis_skip(analysis, place, "too costly to search");
	if (!is_proven(parsed, &match)) {
		analysis_skip(analysis, place,
			"a text like a driver's in a record that does not name its device");
		match.pattern = LOGPATTERN_N;
	}
	if (match.pattern == LOGPATTERN_N && !match.is_suppressed && !concerns_lockup)
		return 0;

	struct eval_finding finding = {.pattern = match.pattern,
		.text = text,
		.length = length,
		.is_text = parsed->evidence == LOGLINE_TEXT || analysis->in_text,
		.time_ns = analysis->counting && !concerns_lockup
				   ? 0
				   : logtime_resolve(&analysis->time, parsed)};
	/* Report the gap before the line changes the memory: output_gap() may store the memory, and
	 * the stored memory must not include this line yet. */
	if (match.is_suppressed && match.pattern == LOGPATTERN_N &&
		accept_suppressed(analysis, text, length, finding.time_ns) < 0)
		return -1;
	bool locked =
		concerns_lockup && lockup_step(lockup, analysis->setting.enabled,
					   &(struct lockup_line){.text = text,
						   .length = length,
						   .interesting = match.is_frame,
						   .is_timed = parsed->clock != LOGLINE_NO_TIME,
						   .time_ns = finding.time_ns},
					   &finding.lockup);
	if (match.pattern == LOGPATTERN_N && locked)
		finding.pattern = finding.lockup.pattern;
	return finding.pattern != LOGPATTERN_N ? accept_finding(analysis, &finding) : 0;
}

int
analysis_accept(struct analysis *analysis, const struct analysis_place *place,
	const struct logline *parsed, uint64_t meaning)
{
	if (parsed->kind == LOGLINE_BAD) {
		analysis_skip(analysis, place, parsed->reason);
		return 0;
	}
	analysis_end_input(analysis, place->name);
	switch (parsed->kind) {
	case LOGLINE_RECORD:
		/* Pass on the object alone, without the quoting that a mail or another system put
		 * around it. */
		return analysis->counting
			       ? 0
			       : output_pass(analysis->output, parsed->text, parsed->length);
	case LOGLINE_MESSAGE:
		if (meaning == 0)
			meaning = matcher_meaning(analysis->matcher, parsed->text, parsed->length);
		return accept_message(analysis, place, parsed, meaning);
	case LOGLINE_OTHER:
	case LOGLINE_BAD:
		break;
	}
	return 0;
}
