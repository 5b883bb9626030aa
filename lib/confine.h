/* confine - drops the privileges that a program does not need.
 *
 * Each program has a row in confine.c: the system calls it may make, and the limits and
 * capabilities it keeps. The files and ports it may use depend on its command line; the functions
 * below collect them before confine_enter():
 *
 *	struct confine confine;
 *	confine_init(&confine, "topoclass", options.confine);
 *	confine_allow(&confine, options.metadata_path, LANDLOCK_READ);
 *	int status = confine_enter(&confine);
 *
 * From then on the program has no_new_privs, can open no other files (landlock.h) and make no other
 * calls (callfilter.h). It keeps only the capabilities of its row, with which root can use files of
 * other users, and at most its number of descriptors. Other processes cannot read the memory of a
 * program with secrets. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_CONFINE_H
#define NHM_CONFINE_H

#include "landlock.h"
#include "opt.h"

#include <stddef.h>
#include <stdint.h>

/* What to do if the program cannot be confined because the kernel or its parent lacks something. */
enum confine_mode {
	CONFINE_TRY,     /* continue, confined as far as possible; -v shows what is missing */
	CONFINE_REQUIRE, /* exit */
	CONFINE_OFF,     /* do not confine */
	CONFINE_MODE_N,
};

extern const struct opt_words confine_words;

/* The start of an option's row. `struct_type` has an enum confine_mode called `member`, which the
 * program initialises with confine_default(). */
#define CONFINE_OPTION(struct_type, member) \
	"confine", "WORD", "drop access that is not needed: try (default), require or off", \
		OPT_WORD(struct_type, member, &confine_words)

/* Return the mode's word on the command line. */
const char *confine_mode_name(enum confine_mode mode);

/* Return the mode named by $NHM_CONFINE. Without a valid word there return CONFINE_TRY, or
 * CONFINE_OFF if the program is built with a sanitizer, which makes system calls of its own. */
enum confine_mode confine_default(void);

struct confine_program;

struct confine {
	const struct confine_program *program;
	enum confine_mode mode;
	struct landlock landlock;
	int landlock_error; /* errno if the file rules could not be set up; 0: they are */
};

/* Begin to collect what `program`, which has a row in confine.c, may use. End with
 * confine_enter(). */
void confine_init(struct confine *confine, const char *program, enum confine_mode mode);

/* Keep access to `path`: a file, or a directory and everything below it. Do nothing if `path` is
 * NULL or does not exist. */
void confine_allow(struct confine *confine, const char *path, enum landlock_use use);

/* Keep access to a file that this program or another one replaces: allow the whole directory of the
 * file, and of the target if `path` is a symbolic link. If the directory does not exist, or its
 * disk cannot be read now, allow the nearest existing directory above it, except the root. */
void confine_allow_beside(struct confine *confine, const char *path, enum landlock_use use);

/* Keep the right to start a program of this project, which confines itself. This allows to read all
 * files, because that program may need them. Only the file that has this name now can be
 * started. */
void confine_allow_starting(struct confine *confine, const char *directory, const char *program);

/* Keep the right to connect to a TCP port, or to listen on one (0: any free port). */
void confine_allow_connecting(struct confine *confine, uint16_t port);
void confine_allow_listening(struct confine *confine, uint16_t port);

/* Drop everything else. Call it before starting threads, because some of it affects only the
 * calling thread. Reports errors; returns 0 or the exit code to end with. */
int confine_enter(struct confine *confine);

/* The rows of confine.c, for display: program names, NULL after the last one, and the groups of
 * calls (callfilter.h). */
const char *confine_program_name(size_t index);
unsigned confine_program_calls(size_t index);

#endif
