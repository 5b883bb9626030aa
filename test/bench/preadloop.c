/* preadloop - the least that reading these files can cost: every file opened once, then pread at 0,
 * round after round.
 *
 * `preadloop ROUNDS <paths`, one path a line, prints how many files there are and the CPU
 * nanoseconds of a round. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define FILES_MAX (1 << 17)

/* As much as any attribute of sysfs can have. */
static char text[4096];

static double
cpu_seconds(void)
{
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static int
fail(const char *what)
{
	fprintf(stderr, "preadloop: %s: %s\n", what, strerror(errno));
	return EXIT_FAILURE;
}

int
main(int argc, char **argv)
{
	static int fds[FILES_MAX];
	size_t count = 0;
	char path[PATH_MAX];
	long rounds = argc == 2 ? strtol(argv[1], NULL, 10) : 0;

	if (rounds <= 0) {
		fprintf(stderr, "usage: preadloop ROUNDS <paths\n");
		return EXIT_FAILURE;
	}
	while (count < FILES_MAX && fgets(path, sizeof path, stdin) != NULL) {
		path[strcspn(path, "\n")] = '\0';
		fds[count] = open(path, O_RDONLY | O_CLOEXEC);
		if (fds[count] < 0)
			return fail(path);
		count++;
	}

	double began = cpu_seconds();
	for (long round = 0; round < rounds; round++) {
		for (size_t i = 0; i < count; i++) {
			if (pread(fds[i], text, sizeof text, 0) < 0)
				return fail("pread");
		}
	}
	printf("%zu %.0f\n", count, 1e9 * (cpu_seconds() - began) / (double)rounds);
	return EXIT_SUCCESS;
}
