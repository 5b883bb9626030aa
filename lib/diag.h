/* diag - messages for people on stderr, one line each: `tool: level: text` (spec#messages).
 *
 * stdout carries only records, so every message goes through this file. A message is formatted in
 * full, with control bytes and invalid UTF-8 escaped (text from sysfs, the kernel log or a peer may
 * hold anything), and written in a single write(2), so that several stages can share a terminal or
 * journal. The functions preserve errno.
 *
 * A slow reader of stderr delays the program only briefly, and a closed stderr never ends it.
 * Messages that stderr does not accept are counted; the next message that it accepts is preceded by
 * a line with their number. See diagout.h. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_DIAG_H
#define NHM_DIAG_H

/* Exit codes (sysexits numbers). The supervisor decides by them whether to restart a stage, see
 * proc_end_is_permanent(). */
enum diag_exit {
	EXIT_USAGE = 64,       /* the command line is wrong */
	EXIT_DATA = 65,        /* bad data: a whole input cannot be used */
	EXIT_NO_INPUT = 66,    /* a named input is missing */
	EXIT_UNAVAILABLE = 69, /* a sink or a service cannot be reached */
	EXIT_OS = 71,          /* a system call failed unexpectedly */
	EXIT_IO = 74,          /* reading or writing failed */
	EXIT_TRY_LATER = 75,   /* another process holds a needed resource */
	EXIT_NO_PERMISSION = 77,
	EXIT_CONFIG = 78, /* the configuration, or a file it names, is wrong */
};

/* Set the program name for all messages, and occupy stdin, stdout and stderr if they are closed, so
 * that no other file gets their descriptors. The pointer `name` is kept. Call it first, before
 * starting threads. */
void diag_init(const char *name);

/* Return the name given to diag_init(). */
const char *diag_name(void);

/* Print diag_info() from level 1 on and diag_debug() from level 2 on. */
void diag_set_verbosity(int level);

/* Return the level; initially 0. */
int diag_verbosity(void);

void diag_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void diag_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* For information that belongs in every log without being a problem. */
void diag_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
void diag_info(const char *format, ...) __attribute__((format(printf, 1, 2)));
void diag_debug(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Print a line of another program unchanged, with control bytes escaped. */
void diag_relay(const char *text);

/* Print the number of lost messages now, if stderr accepts it. Every message and the exit of the
 * program do the same. */
void diag_catch_up(void);

/* Call this in a forked child that continues in this program and has lost some descriptors. The
 * child keeps the same stderr, and does not report the parent's lost messages. */
void diag_begin_child(void);

/* Print the meaning of errno for `where` (a file, stdin, stdout), and return the exit code for
 * it. */
int diag_io_failure(const char *where);

/* Print that memory ran out, and return the exit code for it. */
int diag_no_memory(void);

/* Return the exit code for a named input that cannot be opened: EXIT_NO_INPUT or
 * EXIT_NO_PERMISSION, after which the supervisor does not restart the program, or EXIT_OS or
 * EXIT_IO for a failure that may pass. */
int diag_open_code(int error);

/* Print why the input `path` cannot be opened (errno), and return the code of diag_open_code(). */
int diag_open_failure(const char *path);

/* diag_error(), then exit(code). Only for main.c: other files return their failures. */
void diag_die(enum diag_exit code, const char *format, ...)
	__attribute__((noreturn, format(printf, 2, 3)));

#endif
