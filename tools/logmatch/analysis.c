/* analysis - one line of a log on its way: read, matched, judged, reported. */
#include "analysis.h"

#include "diag.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

void
analysis_fini(struct analysis *analysis)
{
	lineform_scratch_fini(&analysis->scratch);
	pcilook_free(analysis->look);
	matcher_free(analysis->matcher);
}

/* --- what is wrong with lines --- */

void
analysis_skip(struct analysis *analysis, const struct analysis_place *place, const char *reason)
{
	metrics_add(analysis->numbers.malformed, 1);
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

/* Around a NIC, or of no interest: other devices have errors on the bus, too. */
static bool
is_relevant(const struct judge_facts *facts)
{
	return facts->is_nic || facts->is_above_nic;
}

static int
report(struct analysis *analysis, const struct judge_finding *finding,
	const struct judge_facts *facts)
{
	struct judge_report made;
	char id[STANDING_ID_SIZE];

	output_begin_event(analysis->output, finding->time_ns, finding->text, finding->length);
	output_next_id(analysis->output, id);
	judge_report(&analysis->setting, &analysis->memory, finding, facts, id, &made);
	return output_event(analysis->output, &made.event);
}

static int
take_finding(struct analysis *analysis, struct judge_finding *finding)
{
	const struct pattern *meaning = pattern_of(finding->pattern);
	unsigned wanted = (meaning->pcie ? PCILOOK_PLACE : 0) |
			  (meaning->severity == PATTERN_FATAL_ON_PF ? PCILOOK_FUNCTION : 0);

	if (meaning->pcie || !analysis->counting)
		pciaddr_find(finding->text, finding->length, finding->pci);
	if (meaning->pcie && !is_relevant(pcilook_get(analysis->look, finding->pci, wanted)))
		return 0;
	metrics_add(analysis->numbers.matches[finding->pattern], 1);
	if (analysis->counting) {
		analysis->counts[finding->pattern]++;
		return 0;
	}
	if (!judge_is_news(&analysis->setting, &analysis->memory, finding))
		return 0;
	return report(analysis, finding, pcilook_get(analysis->look, finding->pci, wanted));
}

/* `mlx5_cmd_out_err: 12 callbacks suppressed`: messages that were never written into the log. */
static int
take_suppressed(struct analysis *analysis, const char *text, size_t length, uint64_t time_ns)
{
	char source[64];
	const char *end = text + length;
	const char *colon = memchr(text, ':', length);
	uint64_t lost = 0;

	if (colon == NULL || length < 5 || memcmp(text, "mlx5_", 5) != 0 ||
		(size_t)(colon - text) >= sizeof source)
		return 0;
	const char *at = colon + 1;
	while (at < end && *at == ' ')
		at++;
	const char *digits = at;
	while (at < end && *at >= '0' && *at <= '9' && at - digits < 18)
		lost = lost * 10 + (uint64_t)(*at++ - '0');
	if (at == digits || (size_t)(end - at) < strlen(" " PATTERN_SUPPRESSED_KEY) ||
		memcmp(at, " " PATTERN_SUPPRESSED_KEY, strlen(" " PATTERN_SUPPRESSED_KEY)) != 0 ||
		analysis->counting)
		return 0;
	memcpy(source, text, (size_t)(colon - text));
	source[colon - text] = '\0';
	numbers_count_gap(&analysis->numbers, lost);
	return output_gap(analysis->output, source, lost, time_ns);
}

/* One line of a message: nearly always it has one. */
static int
take_text(struct analysis *analysis, const struct analysis_place *place,
	const struct logline *parsed, uint64_t meaning, const char *text, size_t length)
{
	struct match match = matcher_match(analysis->matcher, text, length, meaning);
	struct lockup *lockup = &analysis->memory.lockup;
	bool concerns_lockup = match.is_frame || lockup_counts_lines(lockup);

	if (match.gave_up)
		analysis_skip(analysis, place, "too costly to search");
	if (match.pattern == LOGPATTERN_N && !match.is_suppressed && !concerns_lockup)
		return 0;

	struct judge_finding finding = {.pattern = match.pattern,
		.text = text,
		.length = length,
		.time_ns = analysis->counting && !concerns_lockup
				   ? 0
				   : logtime_resolve(&analysis->time, parsed)};
	/* Before the line is remembered: what came before it is stored first. */
	if (match.is_suppressed && match.pattern == LOGPATTERN_N &&
		take_suppressed(analysis, text, length, finding.time_ns) < 0)
		return -1;
	bool locked =
		concerns_lockup && lockup_step(lockup, analysis->setting.enabled, text, length,
					   match.is_frame, finding.time_ns, &finding.lockup);
	if (match.pattern == LOGPATTERN_N && locked)
		finding.pattern = finding.lockup.pattern;
	return finding.pattern != LOGPATTERN_N ? take_finding(analysis, &finding) : 0;
}

/* A message of several lines, as journald keeps them, is several. */
static int
take_message(struct analysis *analysis, const struct analysis_place *place,
	const struct logline *parsed, uint64_t meaning)
{
	const char *text = parsed->text, *end = parsed->text + parsed->length;
	int status = 0;

	while (status == 0 && text <= end) {
		const char *feed = memchr(text, '\n', (size_t)(end - text));
		const char *stop = feed != NULL ? feed : end;
		status = take_text(analysis, place, parsed, meaning, text, (size_t)(stop - text));
		text = stop + 1;
	}
	return status;
}

/* `meaning` is of the text or of more around it; 0: not known. */
static int
take_parsed(struct analysis *analysis, const struct analysis_place *place,
	const struct logline *parsed, uint64_t meaning)
{
	if (parsed->kind == LOGLINE_BAD) {
		analysis_skip(analysis, place, parsed->reason);
		return 0;
	}
	analysis_end_input(analysis, place->name);
	switch (parsed->kind) {
	case LOGLINE_RECORD:
		/* Without what a mail or another system has put around it. */
		return analysis->counting
			       ? 0
			       : output_pass(analysis->output, parsed->text, parsed->length);
	case LOGLINE_MESSAGE:
		if (meaning == 0)
			meaning = matcher_meaning(analysis->matcher, parsed->text, parsed->length);
		return take_message(analysis, place, parsed, meaning);
	case LOGLINE_OTHER:
	case LOGLINE_BAD:
		break;
	}
	return 0;
}

int
analysis_take(
	struct analysis *analysis, const struct analysis_place *place, const struct logline *parsed)
{
	return take_parsed(analysis, place, parsed, 0);
}

/* --- blocks --- */

static int
take_line(struct analysis *analysis, const struct analysis_place *place, const char *line,
	size_t length, uint64_t meaning)
{
	struct logline parsed;
	if (lineform_parse(analysis->format, line, length, analysis->after_kmsg, &analysis->scratch,
		    &parsed) < 0) {
		errno = ENOMEM;
		return -1;
	}
	analysis->after_kmsg = parsed.of_kmsg;
	/* What had to be decoded has other keys than the line. */
	bool is_in_line = parsed.text >= line && parsed.text <= line + length;
	return take_parsed(analysis, place, &parsed, is_in_line ? meaning : 0);
}

/* While a lock-up is being reported every line counts, and a format that was named is to be checked; else only lines in which the sieve finds something are looked
 * at. */
static bool
is_line_wise(const struct analysis *analysis)
{
	return analysis->format != LOGLINE_AUTO || lockup_counts_lines(&analysis->memory.lockup);
}

static size_t
line_end(const char *bytes, size_t at, size_t length)
{
	const char *feed = memchr(bytes + at, '\n', length - at);
	return feed != NULL ? (size_t)(feed - bytes) : length;
}

static size_t
line_start(const char *bytes, size_t from, size_t at)
{
	const char *feed = memrchr(bytes + from, '\n', at - from);
	return feed != NULL ? (size_t)(feed - bytes) + 1 : from;
}

int
analysis_block(struct analysis *analysis, const struct analysis_place *place, const char *bytes,
	size_t length)
{
	const struct sieve *sieve = matcher_sieve(analysis->matcher);
	struct analysis_place here = *place;
	uint64_t meaning = 0;
	int status = 0;

	for (size_t start = 0, end; status == 0 && start < length; start = end + 1) {
		if (is_line_wise(analysis)) {
			end = line_end(bytes, start, length);
			meaning = 0;
		} else {
			size_t at = sieve_find(sieve, bytes, start, length, &meaning);
			if (at == length)
				return 0;
			end = line_end(bytes, at, length);
			meaning = sieve_meaning(sieve, bytes, start, at, end);
			start = line_start(bytes, start, at);
			analysis->after_kmsg = true;
			if (!matcher_is_candidate(meaning, bytes + start, end - start))
				continue;
		}
		here.number = place->number + start;
		status = take_line(analysis, &here, bytes + start, end - start, meaning);
	}
	return status;
}
