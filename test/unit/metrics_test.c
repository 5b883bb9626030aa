/* Unit tests of metrics: a page that one process writes and another reads, and that stays valid
 * when the writer dies. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "metrics.h"

#include "check.h"
#include "metricslayout.h"
#include "pagetext.h"
#include "randomness.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct metrics_family restarts = {
	"nic_restarts_total", "How often.", METRICS_COUNTER, METRICS_LASTING};
static const struct metrics_family rate = {
	"nic_rate", "What \\ it\ncarries.", METRICS_GAUGE, METRICS_PROCESS};
static const struct metrics_family state = {
	"nic_state", "The state.", METRICS_GAUGE, METRICS_ROUND};
static const struct metrics_family duration = {
	"nic_seconds", "How long.", METRICS_HISTOGRAM, METRICS_LASTING};

static struct metrics_page page;

static struct metrics *
opened(void)
{
	CHECK_INT(metrics_page_init(&page, "test"), 0);
	return metrics_open(page.fd);
}

static const char *
shown(void)
{
	return pagetext(&page);
}

static struct metrics_cell *
of_device(struct metrics *metrics, const struct metrics_family *family, const char *device)
{
	const struct metrics_label labels[] = {{"device", device}, {"port", NULL}, {"x", ""}};
	return metrics_cell(metrics, family, labels, CHECK_COUNT(labels));
}

static void
shows(void)
{
	struct metrics *metrics = opened();
	CHECK_STR(shown(), "");
	metrics_add(metrics_cell(metrics, &restarts, NULL, 0), UINT64_MAX);
	struct metrics_cell *a = of_device(metrics, &rate, "a"),
			    *odd = of_device(metrics, &rate, "\\ \" \n");
	CHECK_STR(shown(), "nic_restarts_total 18446744073709551615\n");
	metrics_set_real(a, 0.25);
	metrics_set(odd, 7);
	CHECK(of_device(metrics, &rate, "a") == a);
	CHECK_STR(shown(), "nic_restarts_total 18446744073709551615\n"
			   "nic_rate{device=\"a\",port=\"\",x=\"\"} 0.25\n"
			   "nic_rate{device=\"\\\\ \\\" \\n\",port=\"\",x=\"\"} 7\n");
	metrics_set_real(a, 1795310774.673182);
	CHECK_HAS(shown(), "nic_rate{device=\"a\",port=\"\",x=\"\"} 1795310774.673182\n");
	metrics_remove(a);
	CHECK(strstr(shown(), "1795310774") == NULL);
	struct metrics_sample sample;
	size_t at = 0;
	CHECK(metrics_page_next(&page, &at, &sample) && metrics_page_next(&page, &at, &sample));
	CHECK_STR(sample.help, "What \\\\ it\\ncarries.");
	CHECK_INT(sample.type, METRICS_GAUGE);
	metrics_close(metrics);
	metrics_page_fini(&page);
}

static void
survives(void)
{
	struct metrics *metrics = opened();
	metrics_add(of_device(metrics, &restarts, "a"), 3);
	metrics_set(of_device(metrics, &rate, "a"), 9);
	metrics_tick(metrics);
	metrics_close(metrics);
	metrics = metrics_open(page.fd);
	CHECK_STR(shown(), "nic_restarts_total{device=\"a\",port=\"\",x=\"\"} 3\n");
	CHECK_U64(metrics_page_vital(&page, METRICS_TICKS), 0);
	metrics_add(of_device(metrics, &restarts, "a"), 1);
	metrics_set(of_device(metrics, &rate, "a"), 8);
	CHECK_STR(shown(), "nic_restarts_total{device=\"a\",port=\"\",x=\"\"} "
			   "4\nnic_rate{device=\"a\",port=\"\",x=\"\"} 8\n");
	metrics_close(metrics);
	metrics_page_fini(&page);
}

static void
rounds(void)
{
	struct metrics *metrics = opened();
	metrics_set(of_device(metrics, &rate, "kept"), 1);
	static const char *const present[][3] = {{"a", "b"}, {"b"}, {"b", "c", "a"}, {NULL}};
	static const char *const expected[] = {"ab", "b", "abc", ""};
	for (size_t i = 0; i < CHECK_COUNT(present); i++) {
		char found[8] = "";
		check_row("round %zu", i);
		metrics_begin(metrics);
		for (size_t k = 0; k < 3 && present[i][k] != NULL; k++)
			metrics_set(of_device(metrics, &state, present[i][k]), i);
		metrics_end(metrics);
		for (char c = 'a'; c <= 'c'; c++) {
			char line[64];
			snprintf(line, sizeof line,
				"nic_state{device=\"%c\",port=\"\",x=\"\"} %zu\n", c, i);
			if (strstr(shown(), line) != NULL)
				strncat(found, &c, 1);
		}
		CHECK_STR(found, expected[i]);
		CHECK_INT(check_occurrences(shown(), "nic_state"), strlen(expected[i]));
		CHECK_HAS(shown(), "kept");
	}
	metrics_close(metrics);
	metrics_page_fini(&page);
}

static void
histograms(void)
{
	struct metrics *metrics = opened();
	struct metrics_histogram histogram;
	static const struct metrics_label labels[] = {{"category", "scan"}};
	metrics_histogram_init(&histogram, metrics, &duration, labels, 1);
	static const double seconds[] = {0.004, 0.005, 0.3, 60};
	for (size_t i = 0; i < CHECK_COUNT(seconds); i++)
		metrics_observe(&histogram, seconds[i]);
	CHECK_HAS(shown(), "nic_seconds_bucket{category=\"scan\",le=\"0.005\"} 2\n");
	CHECK_HAS(shown(), "nic_seconds_bucket{category=\"scan\",le=\"0.25\"} 2\n");
	CHECK_HAS(shown(), "nic_seconds_bucket{category=\"scan\",le=\"0.5\"} 3\n");
	CHECK_HAS(shown(), "nic_seconds_bucket{category=\"scan\",le=\"10\"} 3\n");
	CHECK_HAS(shown(), "nic_seconds_bucket{category=\"scan\",le=\"+Inf\"} 4\n");
	CHECK_HAS(shown(), "nic_seconds_sum{category=\"scan\"} 60.309\n");
	CHECK_HAS(shown(), "nic_seconds_count{category=\"scan\"} 4\n");
	metrics_close(metrics);
	metrics_page_fini(&page);
}

/* A process adds series until it is killed, repeatedly. The page must be readable at every moment,
 * and by the next writer. */
static void
killed(void)
{
	CHECK_INT(metrics_page_init(&page, "test"), 0);
	size_t before = 0;
	for (int round = 0; round < 30; round++) {
		pid_t pid = fork();
		if (pid == 0) {
			struct metrics *metrics = metrics_open(page.fd);
			if (metrics == NULL)
				_exit(1);
			for (int i = 0;; i++) {
				char device[16];
				snprintf(device, sizeof device, "d%d-%d", round, i);
				metrics_add(of_device(metrics, &restarts, device), 1);
			}
		}
		struct metrics_header *header = (struct metrics_header *)(uintptr_t)page.bytes;
		uint64_t used = atomic_load(&header->used);
		while (atomic_load(&header->used) < used + 1000 && waitpid(pid, NULL, WNOHANG) == 0)
			;
		kill(pid, SIGKILL);
		int status;
		waitpid(pid, &status, 0);
		CHECK(WIFSIGNALED(status));
		struct metrics_sample sample;
		size_t at = 0, count = 0;
		while (metrics_page_next(&page, &at, &sample))
			count++;
		CHECK(count > before);
		CHECK_U64(at, atomic_load(&header->used));
		before = count;
	}
	metrics_page_fini(&page);
}

static void
full(void)
{
	struct metrics *metrics = opened();
	char device[1001];
	memset(device, 'x', 1000);
	device[1000] = '\0';
	int made = 0;
	for (; made < 100000; made++) {
		char number[8];
		snprintf(number, sizeof number, "%06d", made);
		memcpy(device, number, 6);
		if (of_device(metrics, &restarts, device) == NULL)
			break;
	}
	CHECK(made > 20000 && made < 100000);
	CHECK_U64(metrics_page_dropped(&page), 1);
	/* existing series continue */
	memcpy(device, "000000", 6);
	CHECK(of_device(metrics, &restarts, device) != NULL);
	metrics_close(metrics);
	metrics_page_fini(&page);
}

/* The last entry ends at the page's end: a round must not clear beyond it. */
static void
exactly_full(void)
{
	char tail[METRICS_TEXT_MAX + 1];
	struct metrics *metrics = opened();
	const struct metrics_header *header = (const void *)page.bytes;
	CHECK(metrics_cell(metrics, &state, NULL, 0) != NULL);
	size_t made = 0, room;
	do {
		room = METRICS_PAGE_BYTES - atomic_load(&header->used) -
		       sizeof(struct metrics_entry) - 2; /* its NULs */
		int length = room > METRICS_TEXT_MAX ? 1000 : (int)room;
		snprintf(tail, sizeof tail, "%0*zu", length, made++);
		CHECK(metrics_cell_labelled(metrics, &state, tail, strlen(tail)) != NULL);
	} while (room > METRICS_TEXT_MAX);
	CHECK_U64(atomic_load(&header->used), METRICS_PAGE_BYTES);
	for (int round = 0; round < 2; round++) {
		metrics_begin(metrics);
		metrics_set(metrics_cell_labelled(metrics, &state, tail, strlen(tail)), 1);
		metrics_end(metrics);
		CHECK_INT(check_occurrences(shown(), "nic_state"), 1);
	}
	metrics_close(metrics);
	metrics_page_fini(&page);
}

static void
nobody(void)
{
	struct metrics_histogram histogram;
	metrics_begin(NULL);
	metrics_add(of_device(NULL, &restarts, "a"), 1);
	metrics_set(of_device(NULL, &rate, "a"), 1);
	metrics_set_real(NULL, 1);
	metrics_remove(NULL);
	metrics_histogram_init(&histogram, NULL, &duration, NULL, 0);
	metrics_observe(&histogram, 1);
	metrics_end(NULL);
	metrics_set_vital(NULL, METRICS_DEVICES, 1);
	metrics_tick(NULL);
	metrics_close(NULL);
}

static void
foreign(void)
{
	int fd = memfd_create("other", MFD_CLOEXEC);
	CHECK(metrics_open(fd) == NULL);
	CHECK_INT(errno, EINVAL);
	CHECK_INT(ftruncate(fd, (off_t)METRICS_PAGE_BYTES), 0);
	CHECK(metrics_open(fd) == NULL);
	CHECK_INT(errno, EINVAL);
	CHECK(metrics_open(-1) == NULL);
	CHECK_INT(errno, EBADF);
	close(fd);
}

/* Whatever a writer writes over the page, reading it ends and stays within it. */
static void
hostile(void)
{
	uint64_t random = 1;
	struct metrics *metrics = opened();
	for (int i = 0; i < 8; i++) {
		char device[8];
		snprintf(device, sizeof device, "%d", i);
		metrics_set(of_device(metrics, &state, device), 1);
	}
	unsigned char *bytes =
		mmap(NULL, METRICS_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, page.fd, 0);
	unsigned char good[2048];
	memcpy(good, bytes, sizeof good);
	for (int round = 0; round < 20000; round++) {
		memcpy(bytes, good, sizeof good);
		for (int i = 0; i < 4; i++) {
			size_t at = randomness_below(&random, 1024);
			bytes[at] = (unsigned char)randomness_below(&random, 256);
		}
		struct metrics_sample sample;
		for (size_t at = 0, count = 0; metrics_page_next(&page, &at, &sample); count++) {
			if (!CHECK(count < 100) ||
				!CHECK_INT(strlen(sample.tail), sample.tail_length) ||
				!CHECK(strchr(sample.help, '\n') == NULL))
				return;
		}
		/* The next writer continues or starts anew. */
		struct metrics *next = metrics_open(page.fd);
		if (!CHECK(next != NULL))
			return;
		metrics_close(next);
	}
	munmap(bytes, METRICS_PAGE_BYTES);
	metrics_close(metrics);
	metrics_page_fini(&page);
}

/* A writer overwrote its own page: the next one must still work. */
static void
damaged(void)
{
	struct metrics *metrics = opened();
	metrics_add(metrics_cell(metrics, &restarts, NULL, 0), 5);
	metrics_set_vital(metrics, METRICS_DEVICES, 7);
	metrics_close(metrics);
	unsigned char *bytes =
		mmap(NULL, METRICS_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, page.fd, 0);
	memset(bytes, 0xa5, 65536);
	metrics = metrics_open(page.fd);
	if (!CHECK(metrics != NULL))
		return;
	CHECK_STR(shown(), "");
	CHECK_U64(metrics_page_vital(&page, METRICS_DEVICES), 0);
	CHECK_U64(metrics_page_dropped(&page), 0);
	metrics_add(metrics_cell(metrics, &restarts, NULL, 0), 1);
	CHECK_STR(shown(), "nic_restarts_total 1\n");
	munmap(bytes, METRICS_PAGE_BYTES);
	metrics_close(metrics);
	metrics_page_fini(&page);
}

static const struct check_test tests[] = {
	{"set cells are shown with escaped labels, and removed ones are not", shows},
	{"the next writer continues counters, and shows no gauges of the one before", survives},
	{"a series that is missing in a round is no longer shown", rounds},
	{"a histogram counts into a value's bucket and all higher ones", histograms},
	{"a writer killed at any moment leaves a readable page", killed},
	{"a full page reports dropped series, and the existing ones continue", full},
	{"a page may be full to its last byte", exactly_full},
	{"without a page nothing happens", nobody},
	{"a file that is not a page is refused", foreign},
	{"a reader is safe from anything that a writer writes to the page", hostile},
	{"the next writer resets a page that a writer damaged", damaged},
};

CHECK_MAIN(tests)
