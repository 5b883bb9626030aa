/* check - the unit tests' harness: a table of tests, each run in its own process. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CHECK_H
#define CHECK_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* One test; `promise` is its name, and states a promise of the code. */
struct check_test {
	const char *promise;
	void (*run)(void);
};

/* Run the tests, each in a child process, so that a crash fails one test and the rest still run.
 * Print TAP; return the exit code for main(). With CHECK_STOP=1 in the environment stop after the
 * first failure. */
int check_run(const struct check_test *tests, size_t count);

#define CHECK_COUNT(array) (sizeof(array) / sizeof *(array))

/* Define the main() of a program that runs the array `tests`. */
#define CHECK_MAIN(tests) \
	int main(void) \
	{ \
		return check_run(tests, CHECK_COUNT(tests)); \
	}

/* Name the table row of the following checks; "" for none. */
void check_row(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Each records a failure and continues; it returns whether the check held, for a test that cannot
 * continue otherwise. */
#define CHECK(condition) check_true(__FILE__, __LINE__, #condition, (condition))
#define CHECK_INT(actual, expected) check_int(__FILE__, __LINE__, #actual, actual, expected)
#define CHECK_U64(actual, expected) check_u64(__FILE__, __LINE__, #actual, actual, expected)
#define CHECK_STR(actual, expected) check_str(__FILE__, __LINE__, #actual, actual, expected)
#define CHECK_NEAR(actual, expected) check_near(__FILE__, __LINE__, #actual, actual, expected)
/* Check that the text contains the part. */
#define CHECK_HAS(actual, part) check_has(__FILE__, __LINE__, #actual, actual, part)

bool check_true(const char *file, int line, const char *what, bool held);
bool check_int(const char *file, int line, const char *what, int64_t actual, int64_t expected);
bool check_u64(const char *file, int line, const char *what, uint64_t actual, uint64_t expected);
bool check_str(
	const char *file, int line, const char *what, const char *actual, const char *expected);
/* Check that the values are equal but for rounding. */
bool check_near(const char *file, int line, const char *what, double actual, double expected);
bool check_has(const char *file, int line, const char *what, const char *actual, const char *part);

/* Capture what is written to descriptor 1 or 2 ... */
void check_capture(int fd);
/* ... stop capturing, and return the captured text, to free(). */
char *check_captured_new(int fd);

/* Return how often `part` occurs in `text`. */
size_t check_occurrences(const char *text, const char *part);

/* Return the text with every `part` replaced, to free(); free `text`. */
char *check_replaced_new(char *text, const char *part, const char *with);

/* Return a directory of this test alone, removed after the run. */
const char *check_dir(void);

/* Write a file in check_dir(); return its path, valid until the next call. */
const char *check_file(const char *name, const char *content);
const char *check_file_bytes(const char *name, const void *content, size_t length);

/* Return `length` times the byte, NUL-terminated, to free(). */
char *check_repeat_new(char byte, size_t length);

/* Parse a JSON text that has ' for ", which reads better in C. */
json_t *check_json_new(const char *text);

/* Return a descriptor that delivers `bytes`, then the end of file. A child process writes them,
 * `chunk` bytes at a time. */
int check_feed(const char *bytes, size_t length, size_t chunk);

#endif
