/* diag - messages for people, on stderr: one line each, `tool: level: text` (spec#messages).
 *
 * stdout carries records only, so everything a person should read goes through here. A message is
 * built in full, its control bytes and invalid UTF-8 are escaped (text from sysfs, the kernel log
 * or a peer may hold anything), and it leaves in a single write(2), so that several stages can
 * share one terminal or journal. errno is the same after a call as before it.
 *
 * A message makes the program wait only for a moment when its reader is slow, and never ends the
 * program. Messages that stderr does not take are counted; as soon as there is room again, a line
 * at that place tells how many are missing. diagout.h says how. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_DIAG_H
#define NHM_DIAG_H

/* Exit codes (sysexits numbers). They are also the supervisor's restart rule, see
 * proc_end_is_permanent(). */
enum diag_exit {
	EXIT_USAGE = 64,       /* the command line is wrong */
	EXIT_DATA = 65,        /* bad data: a whole file, or lines with --strict */
	EXIT_NO_INPUT = 66,    /* a named input is missing */
	EXIT_UNAVAILABLE = 69, /* a sink cannot be reached */
	EXIT_OS = 71,          /* a system call failed that should not */
	EXIT_IO = 74,          /* reading or writing failed */
	EXIT_TRY_LATER = 75,   /* somebody else holds what we need */
	EXIT_NO_PERMISSION = 77,
	EXIT_CONFIG = 78, /* the configuration, or a file it names, is wrong */
};

/* Names the program in every message, and keeps other files from becoming stdin, stdout or stderr
 * where these are closed. `name` is kept, not copied. Call it first, before there are threads. */
void diag_init(const char *name);

/* The name given to diag_init(). */
const char *diag_name(void);

/* Shows diag_info() from level 1 on and diag_debug() from level 2 on. */
void diag_set_verbosity(int level);

/* The level that was set; 0 at first. */
int diag_verbosity(void);

void diag_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void diag_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Not a problem, but worth a line in every log. */
void diag_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
void diag_info(const char *format, ...) __attribute__((format(printf, 1, 2)));
void diag_debug(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Passes on a line that another program has written for people, as it is; control bytes are
 * escaped. */
void diag_relay(const char *text);

/* Says now, if there is room, how many messages stderr did not take. Every message does so before
 * it, and the end of the program. */
void diag_catch_up(void);

/* To be called in a child that goes on in this program and has lost some of its descriptors. Its
 * messages go to the same stderr, and it does not report what this program could not write so far.
 */
void diag_begin_child(void);

/* Says what errno means, about `where` (a file, stdin, stdout), and returns the exit code for
 * it. */
int diag_io_failure(const char *where);

/* Says that memory ran out, and returns the exit code for it. */
int diag_no_memory(void);

/* The exit code for an input that somebody has named and that cannot be opened: EXIT_NO_INPUT or
 * EXIT_NO_PERMISSION, after which the supervisor does not start a program again; but EXIT_OS or
 * EXIT_IO for a failure that may pass. */
int diag_open_code(int error);

/* Says why such an input cannot be opened (errno), and returns that code. */
int diag_open_failure(const char *path);

/* diag_error(), then exit(code). For main.c only: libraries and decisions return their failures. */
void diag_die(enum diag_exit code, const char *format, ...)
	__attribute__((noreturn, format(printf, 2, 3)));

#endif
