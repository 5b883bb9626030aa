/* probe - what of this node's files and sockets can be used, without changing anything. */
#ifndef SUPERVISOR_PROBE_H
#define SUPERVISOR_PROBE_H

#include "readiness.h"

/* Whether a program can be started: 0, or an errno value. */
int probe_program(const char *directory, const char *name);

/* Whether a directory is there and can be opened: 0, or an errno value. */
int probe_directory(const char *path);

/* Whether the kernel's log, or what stands for it, can be opened for reading: 0, or an errno value. */
int probe_log(const char *path);

/* Whether the first line of a file can be read, and holds something: 0, or an errno value. */
int probe_line(const char *path);

/* Whether a file can be made, or replaced, at a path, which may be NULL. A directory that is missing counts as one that can be made, if the one above it lets us; `needs_writing`: also the file itself
 * must be writable, if it is there. */
struct readiness_place probe_place(const char *path, bool needs_writing);

/* Whether a TCP port is free: 0, or an errno value. `address`: an IPv4 or IPv6 address; NULL: all. */
int probe_port(const char *address, int port);

#endif
