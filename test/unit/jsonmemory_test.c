/* Unit test of jsonmemory: a program ends when JSON gets no memory. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "jsonmemory.h"

#include "check.h"
#include "diag.h"

#include <jansson.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
/* Let malloc() return NULL instead of ending the program. The sanitizer still warns. */
const char *__asan_default_options(void);
const char *
__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}
#endif

static void
ends(void)
{
	int ends[2], status = 0;
	char said[20000] = "";
	if (!CHECK(pipe(ends) == 0))
		return;
	pid_t child = fork();
	if (child == 0) {
		json_malloc_t allocate;
		json_free_t release;
		dup2(ends[1], STDERR_FILENO);
		diag_init("tool");
		jsonmemory_require();
		json_get_alloc_funcs(&allocate, &release);
		release(allocate(10));
		release(allocate(SIZE_MAX / 2));
		_exit(0);
	}
	close(ends[1]);
	CHECK(waitpid(child, &status, 0) == child);
	CHECK(WIFEXITED(status));
	CHECK_INT(WEXITSTATUS(status), EXIT_OS);
	CHECK(read(ends[0], said, sizeof said - 1) > 0);
	CHECK_HAS(said, "tool: error: out of memory\n");
	close(ends[0]);
}

static const struct check_test tests[] = {
	{"a failed allocation for JSON prints an error, and the program ends", ends},
};
CHECK_MAIN(tests)
