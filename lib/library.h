/* library - a shared library that not every machine has: loaded when it is needed, so that a
 * program runs without it. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_LIBRARY_H
#define NHM_LIBRARY_H

#include <stddef.h>

/* A function of it, and where its address goes: a pointer to a function of its type. */
struct library_call {
	const char *name;
	void *place;
};

/* A member for a pointer to the function of this name, as the library's header declares it. */
/* NOLINTNEXTLINE(bugprone-macro-parentheses): a member's name has none. */
#define LIBRARY_MEMBER(name) __typeof__(&(name)) name;

/* The caller's storage, which lasts; begins with the name and zeros. */
struct library {
	const char *name; /* as the linker has it: `libpq.so.5` */
	void *handle;
	char reason[200]; /* why it cannot be used; "": nobody has tried, or it can */
};

/* Loads it for good, unless it is loaded, and fills all places. Before a program gives up opening
 * files. Not for threads. NULL, or the reason or opt_no_memory, after which no place counts. */
const char *library_load(struct library *library, const struct library_call *calls, size_t count);

#endif
