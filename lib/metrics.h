/* metrics - the numbers of one process, read by another: a page of memory that both have.
 *
 * The reader makes the page (memfd_create(2)) and gives the writer its descriptor. The writer adds series to its end and changes their values in place. Every value is
 * one aligned 64-bit word, and a series counts only once it is whole: a writer that is killed at any instruction leaves a page that is true, and the next writer
 * goes on with it. Nothing is ever sent, waited for or locked, and nothing is left behind when both are gone. nic-health-monitor-metrics(5) has the format.
 *
 * All functions of the writer take NULL for a page, and for a cell, and do nothing then: a tool that nobody watches pays nothing. */
#ifndef NHM_METRICS_H
#define NHM_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum metrics_type { METRICS_COUNTER, METRICS_GAUGE, METRICS_HISTOGRAM, METRICS_TYPE_N };

/* How long a series is shown. */
enum metrics_life {
	METRICS_LASTING, /* it is about all processes that have had the page: the next one goes on counting */
	METRICS_PROCESS, /* until the next process takes the page */
	METRICS_ROUND, /* the same; and it must be set in each round of metrics_begin() and metrics_end() */
	METRICS_LIFE_N,
};

/* What a series belongs to. Its strings are copied. */
struct metrics_family {
	const char *name; /* of Prometheus' characters */
	const char *help; /* one sentence */
	enum metrics_type type;
	enum metrics_life life;
};

struct metrics_label {
	const char *key;
	const char *value; /* NULL or "": left out, which to Prometheus is the same */
};

/* Single numbers that the supervisor acts on. */
enum metrics_vital {
	METRICS_TICKS,   /* how often the writer has got on: scans, or rounds of its loop */
	METRICS_TICK_NS, /* when it last did, CLOCK_MONOTONIC */
	METRICS_HOLDING, /* 1: it leaves its input unread on purpose */
	/* ctreval: what is monitored, as of the last complete scan */
	METRICS_PORT_SET, /* changes when the set of monitored ports does; 0: there was no complete scan yet. Set it after those below. */
	METRICS_DEVICES,  /* that are there */
	METRICS_MONITORED_DEVICES, /* of these, with at least one monitored port */
	METRICS_MONITORED_PORTS,
	METRICS_COMPUTE, /* monitored ports of devices with this role, and so on */
	METRICS_STORAGE,
	METRICS_NO_ROLE,
	/* ctreval: conditions that stand */
	METRICS_STANDING_FATAL,
	METRICS_STANDING_DEGRADED,
	METRICS_UNLISTED, /* ctreval: 1: in the last scan the devices could not be listed, so that what is monitored is as of a scan before it */
	METRICS_VITAL_N,
};

/* --- the writer --- */

struct metrics;
struct metrics_cell;

/* Takes the page at `fd`, which stays the caller's: only what is METRICS_LASTING is still shown, and vitals are 0. A page that a writer has damaged is begun anew. NULL with errno; EINVAL when it is no such
 * page. */
struct metrics *metrics_open(int fd);

/* The row of a tool's table of options by which it is given a page. */
#define METRICS_OPTION \
	{ \
		"metrics-fd", "FD", \
			"keep count in the page at descriptor FD, see nic-health-monitor-metrics(5)" \
	}

/* What main() does with the value of that option, which may be NULL: takes the page and closes the descriptor. 0, or an exit code when it is no page, which has
 * been said. */
int metrics_take(const char *option, struct metrics **out);

void metrics_close(struct metrics *metrics);

/* The value of a series, which is made, with 0, if it is not there; one that is not METRICS_LASTING is
 * shown when it has been set. The cell is good until metrics_close(). NULL when there is no room for it, which the page counts. */
struct metrics_cell *metrics_cell(struct metrics *metrics, const struct metrics_family *family,
	const struct metrics_label *labels, size_t count);

void metrics_add(struct metrics_cell *cell, uint64_t more);
void metrics_set(struct metrics_cell *cell, uint64_t value);
void metrics_set_real(struct metrics_cell *cell, double value);

/* The series is not shown until it is set again. */
void metrics_remove(struct metrics_cell *cell);

/* A round: the METRICS_ROUND series whose cells are not asked for between these two are removed at its end. */
void metrics_begin(struct metrics *metrics);
void metrics_end(struct metrics *metrics);

/* Upper bounds of a histogram's buckets, in seconds: those of the original's (Go's client library), +Inf left out. */
#define METRICS_BOUND_N 11

/* A histogram of seconds. */
struct metrics_histogram {
	struct metrics_cell *buckets[METRICS_BOUND_N + 1], *sum, *count;
};

/* `labels`: at most METRICS_LABELS_MAX. */
#define METRICS_LABELS_MAX 16
void metrics_histogram_init(struct metrics_histogram *histogram, struct metrics *metrics,
	const struct metrics_family *family, const struct metrics_label *labels, size_t count);
void metrics_observe(struct metrics_histogram *histogram, double seconds);

void metrics_set_vital(struct metrics *metrics, enum metrics_vital vital, uint64_t value);

/* The writer has got on: METRICS_TICKS and METRICS_TICK_NS. */
void metrics_tick(struct metrics *metrics);

/* --- the reader --- */

/* A page, for whoever reads it. */
struct metrics_page {
	int fd;
	unsigned char *bytes; /* which only the writer changes */
};

/* Makes an empty page, with a descriptor that is not inherited. `name` is for people who look at descriptors. 0, or -1 with errno. */
int metrics_page_init(struct metrics_page *page, const char *name);
void metrics_page_fini(struct metrics_page *page);

uint64_t metrics_page_vital(const struct metrics_page *page, enum metrics_vital vital);

/* How many series there was no room for. */
uint64_t metrics_page_dropped(const struct metrics_page *page);

/* One series as it is now. The texts are in the page. */
struct metrics_sample {
	const char *family, *help; /* the help as it stands behind `# HELP name ` */
	size_t family_length, help_length;
	enum metrics_type type;
	enum metrics_life life;
	const char *
		tail; /* what stands between the family's name and the value: "", `{device="mlx5_0"}`, `_sum{category="scan"}` */
	size_t tail_length;
	bool is_real;
	uint64_t value;
	double real; /* if is_real, else 0 */
};

/* The series that is shown at or behind `*at`, 0 for the first, and moves `*at` behind it. False when there is none, or what is there is no series: the writer is not
 * trusted. */
bool metrics_page_next(const struct metrics_page *page, size_t *at, struct metrics_sample *out);

/* Writes the value as Prometheus' text format has it; returns its length. */
#define METRICS_VALUE_SIZE 32
size_t metrics_format_value(const struct metrics_sample *sample, char out[METRICS_VALUE_SIZE]);

#endif
