/* confine - a program gives up for good what it does not need, once it has what it needs.
 *
 * Each program has one row in confine.c: which system calls it may make, and whether it may start
 * threads and make TCP connections. Which files and ports it may use depends on its command line;
 * the functions below collect them before confine_enter():
 *
 *	struct confine confine;
 *	confine_init(&confine, "topoclass", options.confine);
 *	confine_read(&confine, options.metadata_path);
 *	int status = confine_enter(&confine);
 *
 * From then on the program has no_new_privs, and can open no other file (landlock.h) and make no
 * other call (callfilter.h). It has no capability but those by which root reads what others may
 * not, and no more descriptors than its row allows. The memory of a program with secrets cannot be
 * read by others. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_CONFINE_H
#define NHM_CONFINE_H

#include "landlock.h"
#include "opt.h"

#include <stddef.h>
#include <stdint.h>

/* What a program does when it cannot be confined, because the kernel or its parent lacks
 * something. */
enum confine_mode {
	CONFINE_TRY,     /* it goes on, confined as far as possible; -v shows what is missing */
	CONFINE_REQUIRE, /* it ends */
	CONFINE_OFF,     /* it is not confined */
	CONFINE_MODE_N,
};

extern const struct opt_words confine_words;

/* An option's row, up to what it sets; `struct_type` has an enum confine_mode called `member`,
 * which confine_default() begins. */
#define CONFINE_OPTION(struct_type, member) \
	"confine", "WORD", "give up what is not needed: try (default), require or off", \
		OPT_WORD(struct_type, member, &confine_words)

/* The word for it. */
const char *confine_mode_name(enum confine_mode mode);

/* The mode that $NHM_CONFINE names; without such a word CONFINE_TRY, or CONFINE_OFF with a
 * sanitizer, which makes calls of its own. */
enum confine_mode confine_default(void);

struct confine_program;

struct confine {
	const struct confine_program *program;
	enum confine_mode mode;
	struct landlock landlock;
	int landlock_error; /* why there are no rules about files; 0: there are */
};

/* `program` has a row in confine.c. Ends with confine_enter(). */
void confine_init(struct confine *confine, const char *program, enum confine_mode mode);

/* Lets the program go on using `path`: a file, or a directory with all below it. Nothing happens
 * when `path` is NULL or does not exist. */
void confine_allow(struct confine *confine, const char *path, enum landlock_use use);

/* Lets it go on using a file that others replace, or that it replaces itself. This allows all of
 * the directory that the file is in, and of the one that a symbolic link of this name leads to. A
 * directory that is not there yet, or that its disk cannot read now, stands for the nearest one
 * above it, other than the root. */
void confine_allow_beside(struct confine *confine, const char *path, enum landlock_use use);

/* Lets it go on starting a program of ours, which confines itself: the program can read whatever
 * that one may need. The program to start is the file that has this name now. */
void confine_allow_starting(struct confine *confine, const char *directory, const char *program);

/* Lets it go on connecting to a TCP port; or listening to one, 0: any that is free. */
void confine_allow_connecting(struct confine *confine, uint16_t port);
void confine_allow_listening(struct confine *confine, uint16_t port);

/* Gives up all else. Call it before the first thread is started, because some of it reaches the
 * calling thread only. Returns 0, or the exit code to end with, which has been said. */
int confine_enter(struct confine *confine);

/* The rows, for callers that show them: the names, and the calls by groups of callfilter.h. NULL
 * after the last one. */
const char *confine_program_name(size_t index);
unsigned confine_program_calls(size_t index);

#endif
