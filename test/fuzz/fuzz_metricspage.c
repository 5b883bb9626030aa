/* fuzz_metricspage - uses arbitrary bytes as a stage's metrics page: the output is valid Prometheus
 * text, hides nothing of another page, and the next writer can use the page. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/supervisor/scrape.h"
#include "labels.h"
#include "metrics.h"
#include "metricslayout.h"
#include "metricspage.h"
#include "utf8.h"

#include <assert.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"

static const struct metrics_family sound = {
	"nic_health_monitor_sound", "Not to be lost.", METRICS_GAUGE, METRICS_PROCESS};
static const struct metrics_family next_family = {
	"next", "Of the next writer.", METRICS_COUNTER, METRICS_LASTING};

/* The page with the bytes, and the service's own page, which is valid. */
static struct metrics_page page, own;
static struct scrape *scrape;

static void
begin(void)
{
	scrape = scrape_new();
	assert(scrape != NULL);
	assert(metrics_page_init(&page, "page") == 0 && metrics_page_init(&own, "own") == 0);
	struct metrics *metrics = metrics_open(own.fd);
	metrics_set(metrics_cell(metrics, &sound, NULL, 0), 7);
	metrics_close(metrics);
}

static void
check_sample(const char *line)
{
	char *end;
	assert(strchr(DIGITS, *line) == NULL);
	const char *at = line + strspn(line, LETTERS DIGITS);
	assert(at > line);
	if (*at == '{')
		at = skip_labels(at, LETTERS DIGITS);
	assert(*at == ' ' && strchr("+-NI" DIGITS, at[1]) != NULL);
	strtod(at + 1, &end);
	assert(end > at + 1 && *end == '\0');
}

/* Each line must be valid, and the valid page complete. */
static void
check_text(const struct service_view *view)
{
	size_t length;
	const char *made = scrape_text(scrape, view, &own, &length);
	assert(made != NULL);
	char *text = strndup(made, length);
	assert(text != NULL && strlen(text) == length && utf8_is_valid(text));
	assert(strstr(text, "\nnic_health_monitor_sound{node=\"node-1\"} 7\n") != NULL);
	for (char *line = text; *line != '\0';) {
		char *feed = strchr(line, '\n');
		assert(feed != NULL);
		*feed = '\0';
		if (*line == '#')
			assert(strncmp(line, "# HELP ", 7) == 0 ||
				strncmp(line, "# TYPE ", 7) == 0);
		else
			check_sample(line);
		line = feed + 1;
	}
	free(text);
}

/* The next writer finds room for its own metric, unless the page is full. */
static void
write_next(void)
{
	struct metrics *metrics = metrics_open(page.fd);
	assert(metrics != NULL);
	metrics_begin(metrics);
	struct metrics_cell *cell = metrics_cell(metrics, &next_family, NULL, 0);
	assert(cell == metrics_cell(metrics, &next_family, NULL, 0));
	assert(cell != NULL || metrics_page_dropped(&page) > 0);
	metrics_add(cell, 1);
	metrics_end(metrics);
	metrics_close(metrics);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct service_view view = {.node = "node-1"};
	struct stage_view *stage = &view.stages[STAGE_CTREVAL];

	if (scrape == NULL)
		begin();
	assert(fallocate(page.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
		       (off_t)METRICS_PAGE_BYTES) == 0);
	assert(pwrite(page.fd, data, size, 0) == (ssize_t)size);
	stage->page = &page;
	stage->condition = STAGE_UP;
	check_text(&view);
	stage->condition = STAGE_DOWN;
	check_text(&view);
	write_next();
	stage->condition = STAGE_UP;
	check_text(&view);
	return 0;
}
