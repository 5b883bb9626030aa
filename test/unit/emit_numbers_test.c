/* Unit tests of emit's metrics: the values of sinks and journal on the metrics page, and when they
 * are updated. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/emit/out/sinkspec.h"
#include "../../tools/emit/ownmetrics.h"

#include "clock.h"
#include "metricspage.h"
#include "num.h"
#include "spools.h"

#define S NUM_NS_PER_S
#define SINKS 3

static struct metrics_page page;

/* The sinks of a run, which are never opened, and its journal. */
struct stage {
	struct metrics *metrics;
	struct journal journal;
	struct silencing silencing;
	struct sink sinks[SINKS];
	struct own_metrics own_metrics;
};

static const char *
value_of(const char *prefix, const char *series)
{
	static char value[METRICS_VALUE_SIZE];
	struct metrics_sample sample;
	size_t length = strlen(prefix);
	for (size_t at = 0; metrics_page_next(&page, &at, &sample);) {
		char name[600];
		snprintf(name, sizeof name, "%s%s", sample.family, sample.tail);
		if (strncmp(name, prefix, length) != 0 || strcmp(name + length, series) != 0)
			continue;
		metrics_format_value(&sample, value);
		return value;
	}
	return NULL;
}

#define CHECK_SHOWN(series, expected) CHECK_STR(value_of("nic_health_monitor_", series), expected)
#define CHECK_PUBLISHED(series, expected) \
	CHECK_STR(value_of("nvsentinel_health_events_publisher_", series), expected)

static void
begin(struct stage *stage, const struct journal_options *options, const char *const specs[SINKS])
{
	const struct routing routing = {.batch_max = 100};
	*stage = (struct stage){.metrics = metrics_open(page.fd)};
	CHECK(stage->metrics != NULL);
	CHECK_INT(journal_open(&stage->journal, options, &routing), 0);
	for (size_t i = 0; i < SINKS; i++) {
		CHECK_STR(sink_spec_parse(&stage->sinks[i].spec, specs[i]), NULL);
		stage->sinks[i].position = journal_last(&stage->journal);
	}
	CHECK_INT(own_metrics_init(&stage->own_metrics, stage->metrics, &stage->journal,
			  &stage->silencing, stage->sinks, SINKS),
		0);
	own_metrics_note(&stage->own_metrics, S);
}

static void
end(struct stage *stage)
{
	own_metrics_fini(&stage->own_metrics);
	for (size_t i = 0; i < SINKS; i++)
		sink_spec_fini(&stage->sinks[i].spec);
	journal_fini(&stage->journal);
	metrics_close(stage->metrics);
}

static const struct journal_options in_memory = {.node = "n"};
static const char *const plain_sinks[SINKS] = {"-", "file:/f", "unix:/u"};

static void
begins(void)
{
	struct stage stage;
	CHECK_INT(metrics_page_init(&page, "test"), 0);
	begin(&stage, &in_memory, plain_sinks);
	CHECK_SHOWN(
		"health_events_sent_total{check=\"InfiniBandStateCheck\",is_fatal=\"true\"}", "0");
	CHECK_SHOWN("health_events_sent_total{check=\"SysLogsNICDriverError\",is_fatal=\"false\"}",
		"0");
	CHECK_SHOWN("health_events_sent_total{check=\"other\",is_fatal=\"false\"}", NULL);
	CHECK_SHOWN("sink_up{sink=\"unix:/u\"}", "1");
	CHECK_SHOWN("sink_undelivered_events{sink=\"-\"}", "0");
	CHECK_SHOWN("sink_delivery_seconds_count{sink=\"file:/f\"}", "0");
	/* Without a spool its metrics are absent, not 0. */
	CHECK_SHOWN("spool_events", NULL);
	CHECK_SHOWN("dead_letters_total{sink=\"-\"}", NULL);
	end(&stage);
	metrics_page_fini(&page);
}

static void
follows_sinks(void)
{
	struct stage stage;
	struct sink *sink = &stage.sinks[1];
	CHECK_INT(metrics_page_init(&page, "test"), 0);
	begin(&stage, &in_memory, plain_sinks);
	sink->tally =
		(struct sink_tally){.delivered = 7, .refused = 2, .failures = 3, .accepted = 1};
	sink->took_ns = 30 * NUM_NS_PER_MS;
	own_metrics_note(&stage.own_metrics, S);
	own_metrics_note(&stage.own_metrics, S);
	sink->tally.delivered = 9;
	own_metrics_note(&stage.own_metrics, S);
	CHECK_SHOWN("sink_events_delivered_total{sink=\"file:/f\"}", "9");
	CHECK_SHOWN("sink_events_refused_total{sink=\"file:/f\"}", "2");
	CHECK_SHOWN("sink_errors_total{sink=\"file:/f\"}", "3");
	CHECK_SHOWN("sink_events_delivered_total{sink=\"-\"}", "0");
	CHECK_SHOWN("sink_delivery_seconds_bucket{sink=\"file:/f\",le=\"0.025\"}", "0");
	CHECK_SHOWN("sink_delivery_seconds_bucket{sink=\"file:/f\",le=\"0.05\"}", "1");
	CHECK_SHOWN("sink_delivery_seconds_sum{sink=\"file:/f\"}", "0.03");
	CHECK_SHOWN("sink_delivery_seconds_count{sink=\"file:/f\"}", "1");
	end(&stage);

	/* The next process continues the counters. */
	begin(&stage, &in_memory, plain_sinks);
	sink->tally.delivered = 1;
	own_metrics_note(&stage.own_metrics, S);
	CHECK_SHOWN("sink_events_delivered_total{sink=\"file:/f\"}", "10");
	end(&stage);
	metrics_page_fini(&page);
}

/* The original's names count all Platform Connectors together, and no other sink. */
static void
follows_connectors(void)
{
#define MONITOR "monitor=\"nic-health-monitor\""
	static const char *const specs[SINKS] = {"grpc:unix:///a", "grpc:unix:///b", "file:/f"};
	struct stage stage;
	CHECK_INT(metrics_page_init(&page, "test"), 0);
	begin(&stage, &in_memory, specs);
	CHECK_PUBLISHED("sends_success_total{" MONITOR "}", "0");
	CHECK_PUBLISHED("dropped_total{" MONITOR ",reason=\"rejected\"}", "0");
	CHECK_PUBLISHED("retries_total{" MONITOR "}", "0");
	for (size_t i = 0; i < SINKS; i++)
		stage.sinks[i].tally = (struct sink_tally){.delivered = 7,
			.refused = 1,
			.failures = 2,
			.accepted = 1,
			.codes = {[0] = 1, [3] = 1, [14] = 2}};
	own_metrics_note(&stage.own_metrics, S);
	own_metrics_note(&stage.own_metrics, S);
	CHECK_PUBLISHED("sends_success_total{" MONITOR "}", "2");
	CHECK_PUBLISHED("dropped_total{" MONITOR ",reason=\"rejected\"}", "2");
	CHECK_PUBLISHED("retries_total{" MONITOR "}", "4");
	CHECK_PUBLISHED("sends_error_total{" MONITOR ",code=\"Unavailable\"}", "4");
	CHECK_PUBLISHED("sends_error_total{" MONITOR ",code=\"InvalidArgument\"}", "2");
	CHECK_PUBLISHED("sends_error_total{" MONITOR ",code=\"OK\"}", NULL);
	end(&stage);
	metrics_page_fini(&page);

	CHECK_INT(metrics_page_init(&page, "test"), 0);
	begin(&stage, &in_memory, plain_sinks);
	CHECK_PUBLISHED("sends_success_total{" MONITOR "}", NULL);
	end(&stage);
	metrics_page_fini(&page);
}

static void
says_which_are_up(void)
{
	static const struct {
		const char *spec;
		enum sink_state state;
		bool complained, has_more;
		bool expected;
	} rows[] = {
		/* not tried yet */
		{"unix:/u", SINK_WAITING, false, false, true},
		{"grpc:unix:///s", SINK_OPEN, false, true, true},
		/* the last attempt failed; the next one is running */
		{"unix:/u", SINK_WAITING, true, false, false},
		{"unix:/u", SINK_OPENING, true, false, false},
		{"unix:/u", SINK_OPEN, true, true, false},
		{"grpc:unix:///s", SINK_WAITING, true, true, false},
		{"grpc:unix:///s", SINK_OPEN, true, true, false},
		{"grpc:unix:///s", SINK_OPEN, true, false, false},
		/* connected again, with nothing to write */
		{"unix:/u", SINK_OPEN, true, false, true},
		{"unix:/u", SINK_OPEN, false, true, true},
		{"-", SINK_GONE, false, false, false},
	};
	struct journal journal = {.queue = {.first = 1, .end = 3}};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct sink sink = {.state = rows[i].state,
			.complained = rows[i].complained,
			.position = rows[i].has_more ? 1 : 2};
		check_row("%zu: %s", i, rows[i].spec);
		CHECK_STR(sink_spec_parse(&sink.spec, rows[i].spec), NULL);
		CHECK_INT(sink_is_up(&sink, &journal), rows[i].expected);
		sink_spec_fini(&sink.spec);
	}
}

static void
takes_time(void)
{
	struct sink sink = {.began_ns = 5 * S};
	sink_note_accepted(&sink, 7 * S);
	CHECK_U64(sink.tally.accepted, 1);
	CHECK_U64(sink.took_ns, 2 * S);
	/* Nothing was sent. */
	sink_note_accepted(&sink, 9 * S);
	CHECK_U64(sink.tally.accepted, 1);
	CHECK_U64(sink.took_ns, 2 * S);
}

static void
chooses_who_counts(void)
{
	static const struct {
		const char *specs[SINKS];
		size_t expected;
	} rows[] = {
		{{"-", "file:/f", "unix:/u"}, 0},
		{{"file:/f", "http://h/", "grpc:unix:///a"}, 2},
		{{"http://h/", "grpc:unix:///b", "grpc:unix:///a"}, 1},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct stage stage;
		check_row("%zu", i);
		CHECK_INT(metrics_page_init(&page, "test"), 0);
		begin(&stage, &in_memory, rows[i].specs);
		for (size_t k = 0; k < SINKS; k++)
			CHECK((stage.sinks[k].sent != NULL) == (k == rows[i].expected));
		json_t *ours =
			json_pack("{s:b, s:s}", "isFatal", 1, "checkName", "EthernetStateCheck");
		json_t *foreign = json_pack("{s:s}", "checkName", "mine");
		struct sent *sent = stage.sinks[rows[i].expected].sent;
		for (int round = 0; round < 3; round++) {
			sent_add(sent, ours);
			sent_add(sent, foreign);
			sent_arrive(sent);
			own_metrics_note(&stage.own_metrics, S);
		}
		CHECK_SHOWN(
			"health_events_sent_total{check=\"EthernetStateCheck\",is_fatal=\"true\"}",
			"3");
		CHECK_SHOWN("health_events_sent_total{check=\"other\",is_fatal=\"false\"}", "3");
		CHECK_SHOWN("health_events_sent_total{check=\"mine\",is_fatal=\"false\"}", NULL);
		json_decref(ours);
		json_decref(foreign);
		end(&stage);
		metrics_page_fini(&page);
	}
}

static void
tells_sinks_apart(void)
{
	static const char *const specs[SINKS] = {"http://h/a", "http://h/b", "http://h/c?d"};
	struct stage stage;
	CHECK_INT(metrics_page_init(&page, "test"), 0);
	begin(&stage, &in_memory, specs);
	CHECK_SHOWN("sink_up{sink=\"http://h/...\"}", "1");
	CHECK_SHOWN("sink_up{sink=\"http://h/...#2\"}", "1");
	CHECK_SHOWN("sink_up{sink=\"http://h/...#3\"}", "1");
	end(&stage);
	metrics_page_fini(&page);
}

/* Return the age of the oldest event, or -1 without one. */
static double
age(void)
{
	const char *value = value_of("nic_health_monitor_", "spool_oldest_event_age_seconds");
	return value != NULL ? strtod(value, NULL) : -1;
}

static void
follows_the_spool(void)
{
	const struct journal_options options = {.spool_path = spools_path("spool.db"),
		.node = "n",
		.patience_ns = SPOOLS_PATIENCE_NS,
		.retention = {.keep_ns = UINT64_MAX, .max_bytes = UINT64_MAX}};
	struct stage stage;
	CHECK_INT(metrics_page_init(&page, "test"), 0);
	begin(&stage, &options, plain_sinks);
	CHECK_SHOWN("spool_events", "0");
	CHECK_SHOWN("spool_oldest_event_age_seconds", "0");
	CHECK_SHOWN("spool_dead_letters", "0");
	CHECK_SHOWN("spool_dropped_events_total{is_fatal=\"false\"}", "0");
	CHECK_SHOWN("spool_dropped_events_total{is_fatal=\"true\"}", "0");
	CHECK_SHOWN("dead_letters_total{sink=\"unix:/u\"}", "0");
	CHECK(strtod(value_of("nic_health_monitor_", "spool_bytes"), NULL) > 4096);

	for (uint64_t seq = 1; seq <= 5; seq++)
		spools_journal_add(&stage.journal, "s", seq, '-', S);
	/* A repeated, known event is not stored. */
	spools_journal_add(&stage.journal, "s", 5, '-', S);
	journal_keep(&stage.journal, 0, S);
	stage.sinks[0].position = 2;
	stage.sinks[0].tally.refused = 1;
	stage.sinks[1].position = 4;
	stage.sinks[2].state = SINK_GONE;
	stage.journal.tally.dropped = 3;
	stage.journal.tally.failures = 4;
	own_metrics_note(&stage.own_metrics, 2 * S - 1);
	CHECK_SHOWN("spool_stored_events_total", "5");
	CHECK_SHOWN("spool_errors_total", "4");
	CHECK_SHOWN("spool_dropped_events_total{is_fatal=\"false\"}", "3");
	CHECK_SHOWN("spool_dropped_events_total{is_fatal=\"true\"}", "0");
	CHECK_SHOWN("sink_events_refused_total{sink=\"-\"}", "1");
	CHECK_SHOWN("dead_letters_total{sink=\"-\"}", "1");
	/* Values that need a query are updated later. */
	CHECK_SHOWN("spool_events", "0");
	CHECK_U64(own_metrics_wakes_at_ns(&stage.own_metrics, 2 * S - 1), 2 * S);
	own_metrics_note(&stage.own_metrics, 2 * S);
	CHECK_SHOWN("sink_undelivered_events{sink=\"-\"}", "3");
	CHECK_SHOWN("sink_undelivered_events{sink=\"file:/f\"}", "1");
	/* No event is kept for a sink that is gone for good. */
	CHECK_SHOWN("sink_undelivered_events{sink=\"unix:/u\"}", "5");
	CHECK_SHOWN("spool_events", "3");
	CHECK(age() >= 0 && age() < 60);
	CHECK_U64(own_metrics_wakes_at_ns(&stage.own_metrics, 2 * S), 7 * S);

	/* An event an hour old by the spool's clock; and one from a clock that is ahead. */
	struct database *database = &stage.journal.desk->spool.database;
	char sql[200];
	snprintf(sql, sizeof sql, "UPDATE event SET received_ns = %llu WHERE number = 3",
		(unsigned long long)(clock_realtime_ns() - 3600 * S));
	CHECK_INT(database_run(database, sql), DATABASE_OK);
	own_metrics_note(&stage.own_metrics, 7 * S);
	CHECK(age() >= 3600 && age() < 3660);
	CHECK_INT(database_run(database, "UPDATE event SET received_ns = 1 << 62"), DATABASE_OK);
	own_metrics_finish(&stage.own_metrics, 7 * S);
	CHECK(age() == 0);

	stage.sinks[0].position = stage.sinks[1].position = 5;
	own_metrics_finish(&stage.own_metrics, 7 * S);
	CHECK_SHOWN("spool_events", "0");
	CHECK_SHOWN("sink_undelivered_events{sink=\"-\"}", "0");
	CHECK_SHOWN("sink_undelivered_events{sink=\"unix:/u\"}", "5");
	end(&stage);
	metrics_page_fini(&page);
}

/* Events in memory count while the spool is unavailable. Values that cannot be read keep their last
 * value. */
static void
without_its_spool(void)
{
	char directory[400], path[450];
	snprintf(directory, sizeof directory, "%s/d/e", check_dir());
	snprintf(path, sizeof path, "%s/spool.db", directory);
	const struct journal_options options = {.spool_path = path,
		.node = "n",
		.patience_ns = SPOOLS_PATIENCE_NS,
		.retention = {.keep_ns = UINT64_MAX, .max_bytes = UINT64_MAX}};
	struct stage stage;
	CHECK_INT(metrics_page_init(&page, "test"), 0);
	check_capture(2);
	begin(&stage, &options, plain_sinks);
	spools_journal_add(&stage.journal, "s", 1, '-', S);
	spools_journal_add(&stage.journal, "s", 2, '-', S);
	journal_keep(&stage.journal, JOURNAL_UNASKED, 2 * S);
	own_metrics_finish(&stage.own_metrics, 2 * S);
	CHECK_SHOWN("spool_events", "2");
	CHECK_SHOWN("spool_errors_total", "2");
	CHECK_SHOWN("spool_stored_events_total", "0");
	CHECK_SHOWN("spool_bytes", NULL);
	CHECK(age() >= 0 && age() < 60);
	/* The age for a sink that lacks the events in the spool. */
	stage.sinks[0].position = 0;
	own_metrics_finish(&stage.own_metrics, 3 * S);
	CHECK_SHOWN("spool_events", "2");
	CHECK_SHOWN("sink_undelivered_events{sink=\"-\"}", "2");
	free(check_captured_new(2));
	end(&stage);
	metrics_page_fini(&page);
}

static void
nobody(void)
{
	const struct routing routing = {.batch_max = 100};
	struct own_metrics own_metrics;
	struct journal journal;
	struct silencing silencing = {.covered = 1};
	struct sink sink = {.tally = {.delivered = 1}};
	CHECK_INT(journal_open(&journal, &in_memory, &routing), 0);
	CHECK_INT(own_metrics_init(&own_metrics, NULL, &journal, &silencing, &sink, 1), 0);
	CHECK(sink.sent == NULL);
	own_metrics_note(&own_metrics, S);
	CHECK_U64(own_metrics_wakes_at_ns(&own_metrics, S), UINT64_MAX);
	own_metrics_finish(&own_metrics, S);
	own_metrics_fini(&own_metrics);
	journal_fini(&journal);
}

static const struct check_test tests[] = {
	{"counters start at 0, and without a spool its metrics are absent", begins},
	{"the sinks' counters add up across processes", follows_sinks},
	{"a sink is up unless its last attempt failed, and also when connected with nothing to "
	 "send",
		says_which_are_up},
	{"Platform Connectors have the original's metrics, too", follows_connectors},
	{"a delivery's duration is measured from its sending", takes_time},
	{"an event is sent when the first gRPC sink has it, or without one the first sink",
		chooses_who_counts},
	{"two sinks with the same label get two names", tells_sinks_apart},
	{"the spool's metrics are at most a second old, or five without events", follows_the_spool},
	{"while the spool is unavailable the events in memory count", without_its_spool},
	{"without a metrics page nothing happens", nobody},
};

CHECK_MAIN(tests)
