/* probe - checks which files, sockets and ports of this node the service can use, and whether
 * another service uses them. It changes nothing. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERVISOR_PROBE_H
#define SUPERVISOR_PROBE_H

#include "readiness.h"

#include <limits.h>

/* Return 0 if the program can be executed, else an errno value. */
int probe_program(const char *directory, const char *name);

/* Return 0 if the directory can be opened, else an errno value. */
int probe_directory(const char *path);

/* Return 0 if the kernel log, or the file or stdin in its place, can be opened for reading, else an
 * errno value. */
int probe_log(const char *path);

/* Return 0 if the first line of the file can be read and is not empty, else an errno value. */
int probe_line(const char *path);

/* Write the directory of `path` to `parent`. Return false if it is too long. */
bool probe_parent(const char *path, char parent[PATH_MAX]);

/* Check whether the service can create or replace a file at `path`, which may be NULL. Up to
 * `levels` missing directories are no error if the directory above them is writable.
 * `needs_writing`: an existing file itself must be writable, too. */
struct readiness_place probe_place(const char *path, bool needs_writing, unsigned levels);

/* The same, but if this is root and the directory belongs to another user, check as that user: root
 * then checks for a service that runs as that user. */
struct readiness_place probe_owners_place(const char *path, bool needs_writing, unsigned levels);

/* Return 0 if the TCP port is free, else an errno value. `address`: an IPv4 or IPv6 address; NULL:
 * all. */
int probe_port(const char *address, int port);

/* Return true if a process uses the state file or spool `path`, which may be NULL. Then `who` names
 * it: `process 4711`, or as much as is known. */
bool probe_user(const char *path, char who[ATOMFILE_HOLDER_SIZE]);

/* Return true if a nic-health-monitor answers at the TCP port. `address`: an IPv4 or IPv6 address;
 * NULL: 127.0.0.1. Waits at most one second for an answer. */
bool probe_server(const char *address, int port);

#endif
