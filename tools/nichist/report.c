/* report - prints the lists of a spool as tables or records. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "report.h"

#include "array.h"
#include "diag.h"
#include "list.h"
#include "strbuf.h"
#include "table.h"
#include "terminal.h"
#include "text.h"
#include "when.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The reader of stdout is gone. */
#define READER_LEFT (-1)

struct report {
	const struct history_options *options;
	struct spoolview view;
	struct table_style style;
	bool begun; /* a section was printed */
};

/* --- stdout --- */

static int
finish_page(void)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return 0;
	return errno == EPIPE ? READER_LEFT : diag_io_failure("stdout");
}

static int
print_page(void *context, const char *text, size_t length)
{
	(void)context;
	fwrite(text, 1, length, stdout);
	return finish_page();
}

/* --- words --- */

/* Append a text of the command line, made safe to print. */
static void
add_safe(struct strbuf *text, const char *before, const char *words)
{
	char *safe = text_new(words, strlen(words));
	strbuf_addf(text, "%s%s", before, text_or_empty(safe));
	free(safe);
}

/* Append the selection: ` since ..., of mlx5_3, only fatal ones`. */
static void
add_choice(struct strbuf *text, const struct history_options *options, const struct list *list,
	bool has_node)
{
	char time[WHEN_TIME_SIZE];
	if (list->since != NULL && options->has_since)
		strbuf_addf(text, " since %s UTC", when_time(options->since_ns, time));
	else if (list->since != NULL)
		strbuf_addf(text, ", as far back as they are kept");
	if (options->place != NULL && list->device != NULL)
		add_safe(text, ", of ", options->place);
	if (options->node != NULL && list->of_node != NULL && !has_node)
		add_safe(text, ", on node ", options->node);
	if (options->fatal && list->fatal != NULL)
		strbuf_addf(text, ", only fatal ones");
}

/* Print the heading of a section. The first one names the spool. */
static int
print_heading(
	struct report *report, const struct list *list, const struct table *table, const char *what)
{
	struct strbuf text = {0};
	if (table->node != NULL)
		strbuf_addf(&text, "%s: ", table->node);
	else if (table->nodes > 1)
		strbuf_addf(&text, "%" PRId64 " nodes: ", table->nodes);
	strbuf_addf(&text, "%s", what);
	add_choice(&text, report->options, list, table->node != NULL);
	if (!report->begun) {
		add_safe(&text, " (", report->view.path);
		strbuf_addf(&text, ")");
	}
	if (text.is_short) {
		strbuf_fini(&text);
		return diag_no_memory();
	}
	if (report->begun)
		fputc('\n', stdout);
	report->begun = true;
	table_put_heading(&report->style, text.bytes, stdout);
	strbuf_fini(&text);
	return finish_page();
}

/* `14 events: 2 fatal, 5 degraded, 7 healthy` */
static void
print_totals(const struct table *table, const char *noun)
{
	const struct {
		int64_t count;
		const char *name;
	} parts[] = {
		{table->fatal, "fatal"},
		{table->degraded, "degraded"},
		{table->healthy, "healthy"},
	};
	int64_t all = table->fatal + table->degraded + table->healthy;
	const char *between = ": ";

	printf("\n%" PRId64 " %s%s", all, noun, text_plural(all));
	for (size_t i = 0; i < ARRAY_COUNT(parts); i++) {
		if (parts[i].count == 0)
			continue;
		printf("%s%" PRId64 " %s", between, parts[i].count, parts[i].name);
		between = ", ";
	}
	putchar('\n');
}

/* --- sections --- */

/* Headings of a section with and without rows. */
struct section {
	const struct list *list;
	const char *heading, *empty;
	const char *noun; /* unit of the total below the rows; NULL: no total */
};

static int
print_section(struct report *report, const struct section *section, bool *empty)
{
	struct table table;
	int status =
		table_survey(&table, &report->view, section->list, report->options, &report->style);
	*empty = table.rows == 0;
	if (status == 0)
		status = print_heading(
			report, section->list, &table, *empty ? section->empty : section->heading);
	if (status == 0 && !*empty) {
		putchar('\n');
		table_put_header(&table, stdout);
		status = table_print(&table, print_page);
	}
	if (status == 0 && !*empty && section->noun != NULL)
		print_totals(&table, section->noun);
	table_fini(&table);
	return status;
}

/* Print how many events were omitted. */
static int
print_quiet(const struct report *report)
{
	const struct history_options *options = report->options;
	const struct view_values values = list_values(options);
	char *chosen = list_chosen_new(&list_events, options, LIST_QUIET), *sql = NULL;
	int status = 0;
	if (chosen == NULL || asprintf(&sql, "SELECT count(*) %s", chosen) < 0) {
		free(chosen);
		return diag_no_memory();
	}
	int64_t count = spoolview_number(&report->view, sql, &values, 0, &status);
	free(chosen);
	free(sql);
	if (count > 0)
		printf("%" PRId64 " healthy event%s of baselines omitted (no condition ended): "
		       "--baseline shows them\n",
			count, text_plural(count));
	return status;
}

/* If nothing was found, print the time of the latest event of all. */
static int
print_latest(const struct report *report)
{
	static const struct view_values none = {0};
	char time[WHEN_TIME_SIZE];
	int status = 0;
	int64_t latest_ns = spoolview_number(
		&report->view, "SELECT max(time_ns) FROM event", &none, -1, &status);

	if (status == 0 && latest_ns >= 0)
		printf("the latest event: %s UTC\n", when_time((uint64_t)latest_ns, time));
	else if (status == 0)
		puts("the spool has no events");
	return status;
}

static int
print_events(struct report *report)
{
	static const struct section section = {&list_events, "events", "no events", "event"};
	bool empty;
	int status = print_section(report, &section, &empty);
	if (status == 0 && !report->options->baseline)
		status = print_quiet(report);
	return status == 0 && empty ? print_latest(report) : status;
}

static int
print_changes(struct report *report)
{
	static const struct section section = {&list_changes, "changes", "no changes", NULL};
	bool empty;
	return print_section(report, &section, &empty);
}

static int
print_dead_letters(struct report *report)
{
	static const struct section section = {&list_dead_letters,
		"dead letters: events that a sink refused", "no dead letters", "dead letter"};
	bool empty;
	return print_section(report, &section, &empty);
}

/* Print the number of events that were never delivered and are lost. */
static int
print_dropped(const struct report *report)
{
	static const struct view_values none = {0};
	int status = 0;
	int64_t dropped = spoolview_number(
		&report->view, "SELECT value FROM meta WHERE name = 'dropped'", &none, 0, &status);

	if (dropped > 0)
		printf("%" PRId64 " event%s dropped undelivered: the spool was full\n", dropped,
			dropped == 1 ? " was" : "s were");
	return status;
}

/* Print the standing conditions, and the sinks that know them. */
static int
print_standing(struct report *report)
{
	char now[WHEN_TIME_SIZE], standing[64], nothing[64];
	bool empty;
	const struct section section = {&list_standing, standing, nothing, "condition"};
	static const struct section sinks = {
		&list_sinks, "sinks", "no sinks: no event was delivered", NULL};

	when_time(report->options->now_ns, now);
	snprintf(standing, sizeof standing, "active conditions at %s UTC", now);
	snprintf(nothing, sizeof nothing, "no active conditions at %s UTC", now);
	int status = print_section(report, &section, &empty);
	if (status == 0)
		status = print_section(report, &sinks, &empty);
	if (status == 0)
		status = print_dropped(report);
	return status;
}

static int
print_tables(struct report *report)
{
	const struct history_options *options = report->options;
	int status = 0;

	report->style = (struct table_style){
		.columns = terminal_columns(STDOUT_FILENO),
		.colour = terminal_has_colours(STDOUT_FILENO),
	};
	if (options->events)
		status = print_events(report);
	if (status == 0 && options->changes)
		status = print_changes(report);
	if (status == 0 && options->dead_letters)
		status = print_dead_letters(report);
	/* Last, where it stays visible: it shows what to do now. */
	if (status == 0 && options->standing)
		status = print_standing(report);
	return status;
}

static int
print_records(const struct report *report)
{
	const struct history_options *options = report->options;
	const struct {
		bool wanted;
		const struct list *list;
	} parts[] = {
		{options->events, &list_events},
		{options->changes, &list_changes},
		{options->dead_letters, &list_dead_letters},
		{options->standing, &list_standing},
		{options->standing, &list_sinks},
	};
	int status = 0;
	for (size_t i = 0; i < ARRAY_COUNT(parts) && status == 0; i++) {
		if (parts[i].wanted)
			status = list_read(&report->view, parts[i].list, options, print_page, NULL);
	}
	return status;
}

int
report_print(const struct history_options *options)
{
	struct report report = {.options = options};
	int status = spoolview_open(&report.view, options->path);
	if (status != 0)
		return status;
	status = options->json ? print_records(&report) : print_tables(&report);
	if (status == 0)
		status = finish_page();
	spoolview_close(&report.view);
	return status == READER_LEFT ? 0 : status;
}
