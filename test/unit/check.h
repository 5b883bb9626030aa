/* check - the unit tests' harness: a table of promises, each kept or broken in a process of its
 * own. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CHECK_H
#define CHECK_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* One test; `promise` is its name, and reads as what the code promises. */
struct check_test {
	const char *promise;
	void (*run)(void);
};

/* Runs the tests, each in a child process, so that a crash is one failure and the rest still run.
 * Prints TAP; returns the exit code for main(). With CHECK_STOP=1 in the environment none is run
 * after one that failed. */
int check_run(const struct check_test *tests, size_t count);

#define CHECK_COUNT(array) (sizeof(array) / sizeof *(array))

/* A program of `tests`, which is an array. */
#define CHECK_MAIN(tests) \
	int main(void) \
	{ \
		return check_run(tests, CHECK_COUNT(tests)); \
	}

/* Says which row of a table the checks that follow belong to; "" for none. */
void check_row(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Each records a failure and goes on; the value tells whether it held, for tests that cannot go on
 * without. */
#define CHECK(condition) check_true(__FILE__, __LINE__, #condition, (condition))
#define CHECK_INT(actual, expected) check_int(__FILE__, __LINE__, #actual, actual, expected)
#define CHECK_U64(actual, expected) check_u64(__FILE__, __LINE__, #actual, actual, expected)
#define CHECK_STR(actual, expected) check_str(__FILE__, __LINE__, #actual, actual, expected)
#define CHECK_NEAR(actual, expected) check_near(__FILE__, __LINE__, #actual, actual, expected)
/* The text holds the part. */
#define CHECK_HAS(actual, part) check_has(__FILE__, __LINE__, #actual, actual, part)

bool check_true(const char *file, int line, const char *what, bool held);
bool check_int(const char *file, int line, const char *what, int64_t actual, int64_t expected);
bool check_u64(const char *file, int line, const char *what, uint64_t actual, uint64_t expected);
bool check_str(
	const char *file, int line, const char *what, const char *actual, const char *expected);
/* Equal but for the rounding of a few operations. */
bool check_near(const char *file, int line, const char *what, double actual, double expected);
bool check_has(const char *file, int line, const char *what, const char *actual, const char *part);

/* From here on what is written to descriptor 1 or 2 is kept ... */
void check_capture(int fd);
/* ... until here, where it is handed out as a text to free(). */
char *check_captured_new(int fd);

/* How many times `part` is in `text`. */
size_t check_occurrences(const char *text, const char *part);

/* The text with every `part` replaced, to free(); `text` is freed. */
char *check_replaced_new(char *text, const char *part, const char *with);

/* A directory of this test alone, removed after the run. */
const char *check_dir(void);

/* Writes a file in check_dir(); returns its path, valid until the next call. */
const char *check_file(const char *name, const char *content);
const char *check_file_bytes(const char *name, const void *content, size_t length);

/* `length` times the byte, NUL-terminated, to free(). */
char *check_repeat_new(char byte, size_t length);

/* A JSON text with ' in the place of ", which reads better in C. */
json_t *check_json_new(const char *text);

/* A descriptor from which `bytes` can be read, then the end: the writer is a child of its own,
 * which writes `chunk` bytes at a time. */
int check_feed(const char *bytes, size_t length, size_t chunk);

#endif
