/* library - loads a shared library at run time, so that a program also runs on machines without
 * it. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_LIBRARY_H
#define NHM_LIBRARY_H

#include <stddef.h>

/* A function of the library, and where to store its address: a pointer to a function pointer of its
 * type. */
struct library_call {
	const char *name;
	void *place;
};

/* A struct member that points to the function `name`, with the type that the library's header
 * declares. */
/* NOLINTNEXTLINE(bugprone-macro-parentheses): a member's name has none. */
#define LIBRARY_MEMBER(name) __typeof__(&(name)) name;

/* Static storage of the caller. Initialise with the name and zeros. */
struct library {
	const char *name; /* the soname: `libpq.so.5` */
	void *handle;
	char reason[200]; /* why loading failed; "": not tried, or loaded */
};

/* Load the library permanently, unless it is loaded, and set all addresses. Call it before the
 * program drops the right to open files. Not thread-safe. Return NULL, or the reason or
 * opt_no_memory; no address is valid then. */
const char *library_load(struct library *library, const struct library_call *calls, size_t count);

#endif
