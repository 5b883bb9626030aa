/* Unit tests of emit's worker: threads for jobs that may never end. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/emit/store/worker.h"
#include "check.h"
#include "num.h"

#include <stddef.h>
#include <unistd.h>

/* A job that ends when a byte is written. */
static void
wait_for_byte(void *context)
{
	char byte;
	CHECK_INT(read(*(int *)context, &byte, 1), 1);
}

static void
left_until_freed(void)
{
	int ends[2];
	CHECK(!worker_any_left());
	struct worker *one = worker_new(), *other = worker_new();
	CHECK(one != NULL && other != NULL && pipe(ends) == 0);
	worker_begin(one, wait_for_byte, &ends[0]);
	CHECK(!worker_wait(one, 0));
	worker_free(other);
	CHECK(worker_any_left());
	CHECK_INT(write(ends[1], "", 1), 1);
	CHECK(worker_wait(one, 60 * NUM_NS_PER_S));
	CHECK(worker_any_left());
	worker_free(one);
	CHECK(!worker_any_left());
	close(ends[0]);
	close(ends[1]);
}

static const struct check_test tests[] = {
	{"a worker counts as left until it is freed, busy or not", left_until_freed},
};
CHECK_MAIN(tests)
