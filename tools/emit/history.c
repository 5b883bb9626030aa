/* history - what a spool tells people and tools. */
#include "history.h"

#include "diag.h"
#include "historylines.h"
#include "historyrow.h"
#include "historytable.h"
#include "historytext.h"
#include "schema.h"
#include "terminal.h"
#include "when.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Nobody reads what is printed any more. */
#define READER_LEFT (-1)

struct report {
	const struct history_options *options;
	struct spool_view view;
	struct table_style style;
	bool begun; /* something has been printed */
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

static const char *
plural(int64_t count)
{
	return count == 1 ? "" : "s";
}

/* A text of the command line. */
static void
put_safe(const char *text, FILE *out)
{
	char *safe = history_text_new(text, strlen(text));
	fputs(safe != NULL ? safe : "", out);
	free(safe);
}

/* Which ones: ` since ..., of mlx5_3, only fatal ones`. */
static void
put_choice(const struct history_options *options, const struct list *list, FILE *out)
{
	char time[WHEN_TIME_SIZE];
	if (list->since != NULL && options->has_since)
		fprintf(out, " since %s UTC", when_time(options->since_ns, time));
	else if (list->since != NULL)
		fputs(", as far back as they are kept", out);
	if (options->device != NULL && list->device != NULL) {
		fputs(", of ", out);
		put_safe(options->device, out);
	}
	if (options->fatal && list->fatal != NULL)
		fputs(", only fatal ones", out);
}

/* The heading of a section; the first one says which spool it is. */
static int
print_heading(struct report *report, const struct list *list, const struct history_table *table,
	const char *what)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	if (out == NULL) {
		diag_error("out of memory");
		return EXIT_OS;
	}
	if (table->node != NULL)
		fprintf(out, "%s: ", table->node);
	else if (table->nodes > 1)
		fprintf(out, "%" PRId64 " nodes: ", table->nodes);
	fputs(what, out);
	put_choice(report->options, list, out);
	if (!report->begun) {
		fputs(" (", out);
		put_safe(report->view.path, out);
		fputc(')', out);
	}
	if (fclose(out) != 0) {
		free(text);
		diag_error("out of memory");
		return EXIT_OS;
	}
	if (report->begun)
		fputc('\n', stdout);
	report->begun = true;
	history_row_heading(&report->style, text, stdout);
	free(text);
	return finish_page();
}

/* `14 events: 2 fatal, 5 degraded, 7 healthy` */
static void
print_totals(const struct history_table *table, const char *noun)
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

	printf("\n%" PRId64 " %s%s", all, noun, plural(all));
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		if (parts[i].count == 0)
			continue;
		printf("%s%" PRId64 " %s", between, parts[i].count, parts[i].name);
		between = ", ";
	}
	putchar('\n');
}

/* --- sections --- */

/* What a section is called when there is something in it, and when there is nothing. */
struct section {
	const struct list *list;
	const char *heading, *empty;
	const char *noun; /* what is counted at its end; NULL: nothing */
};

static int
print_section(struct report *report, const struct section *section, bool *empty)
{
	struct history_table table;
	int status = history_table_survey(
		&table, &report->view, section->list, report->options, &report->style);
	*empty = table.rows == 0;
	if (status == 0)
		status = print_heading(
			report, section->list, &table, *empty ? section->empty : section->heading);
	if (status == 0 && !*empty) {
		putchar('\n');
		history_row_header(&table, stdout);
		status = history_table_print(&table, print_page);
	}
	if (status == 0 && !*empty && section->noun != NULL)
		print_totals(&table, section->noun);
	history_table_fini(&table);
	return status;
}

/* Where nothing is found, it helps to know whether anything ever was. */
static int
print_latest(const struct report *report)
{
	static const struct view_values none = {0};
	char time[WHEN_TIME_SIZE];
	int status = 0;
	int64_t latest_ns = spool_view_number(
		&report->view, "SELECT max(time_ns) FROM event", &none, -1, &status);

	if (status == 0 && latest_ns >= 0)
		printf("the latest event of all: %s UTC\n", when_time((uint64_t)latest_ns, time));
	else if (status == 0)
		puts("the spool has no events at all");
	return status;
}

static int
print_events(struct report *report)
{
	static const struct section section = {&list_events, "events", "no events", "event"};
	bool empty;
	int status = print_section(report, &section, &empty);
	return status == 0 && empty ? print_latest(report) : status;
}

static int
print_dead_letters(struct report *report)
{
	static const struct section section = {&list_dead_letters,
		"dead letters: events that a sink will not take", "no dead letters", "dead letter"};
	bool empty;
	return print_section(report, &section, &empty);
}

/* Events that reached nobody, for good. */
static int
print_dropped(const struct report *report)
{
	static const struct view_values none = {0};
	int status = 0;
	int64_t dropped = spool_view_number(
		&report->view, "SELECT value FROM meta WHERE name = 'dropped'", &none, 0, &status);

	if (dropped > 0)
		printf("%" PRId64 " event%s given up undelivered: the spool was full\n", dropped,
			dropped == 1 ? " was" : "s were");
	return status;
}

/* What stands, and whether anybody was told. */
static int
print_standing(struct report *report)
{
	char now[WHEN_TIME_SIZE], standing[64], nothing[64];
	bool empty;
	const struct section section = {&list_standing, standing, nothing, "condition"};
	static const struct section sinks = {
		&list_sinks, "sinks: who was told", "no sinks: nobody was told", NULL};

	when_time(report->options->now_ns, now);
	snprintf(standing, sizeof standing, "what stands now, %s UTC", now);
	snprintf(nothing, sizeof nothing, "nothing stands now, %s UTC", now);
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
	if (status == 0 && options->dead_letters)
		status = print_dead_letters(report);
	/* Last, and so in sight: what is to be done now. */
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
		{options->dead_letters, &list_dead_letters},
		{options->standing, &list_standing},
		{options->standing, &list_sinks},
	};
	int status = 0;
	for (size_t i = 0; i < sizeof parts / sizeof *parts && status == 0; i++) {
		if (parts[i].wanted)
			status = history_lines_read(
				&report->view, parts[i].list, options, print_page, NULL);
	}
	return status;
}

int
history_print(const struct history_options *options)
{
	struct report report = {.options = options};
	int status = spool_view_open(
		&report.view, options->path != NULL ? options->path : SCHEMA_DEFAULT_PATH);
	if (status != 0)
		return status;
	status = options->json ? print_records(&report) : print_tables(&report);
	if (status == 0)
		status = finish_page();
	spool_view_close(&report.view);
	return status == READER_LEFT ? 0 : status;
}
