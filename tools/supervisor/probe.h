/* probe - which of this node's files and sockets can be used, and whether another service has them.
 * It looks, and leaves everything as it is. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERVISOR_PROBE_H
#define SUPERVISOR_PROBE_H

#include "readiness.h"

#include <limits.h>

/* Whether a program can be started: 0, or an errno value. */
int probe_program(const char *directory, const char *name);

/* Whether a directory is there and can be opened: 0, or an errno value. */
int probe_directory(const char *path);

/* Whether the kernel's log, or what stands for it, can be opened for reading: 0, or an errno
 * value. */
int probe_log(const char *path);

/* Whether the first line of a file can be read, and holds something: 0, or an errno value. */
int probe_line(const char *path);

/* The directory that `path` is in. False when it is too long. */
bool probe_parent(const char *path, char parent[PATH_MAX]);

/* Whether a file of our own can be made, or replaced, at a path, which may be NULL. Up to
 * `levels` directories that are missing count as ones that can be made, if the one above them lets
 * us; `needs_writing`: also the file itself must be writable, if it is there. */
struct readiness_place probe_place(const char *path, bool needs_writing, unsigned levels);

/* The same, but if the directory belongs to another user and this is root, as that user would find
 * it: root asks for a service that has a user of its own. */
struct readiness_place probe_owners_place(const char *path, bool needs_writing, unsigned levels);

/* Whether a TCP port is free: 0, or an errno value. `address`: an IPv4 or IPv6 address; NULL:
 * all. */
int probe_port(const char *address, int port);

/* Whether a process uses the state file or spool `path`, which may be NULL. If so, `who` says which
 * one: `process 4711`, or as much as is known. */
bool probe_user(const char *path, char who[ATOMFILE_HOLDER_SIZE]);

/* Whether it is a nic-health-monitor that answers at a TCP port. `address`: an IPv4 or IPv6
 * address; NULL: this machine's own. Waits for an answer for a second at most. */
bool probe_server(const char *address, int port);

#endif
