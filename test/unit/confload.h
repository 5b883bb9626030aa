/* confload - loads a configuration that a test has as text. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFLOAD_H
#define CONFLOAD_H

#include "check.h"
#include "conf.h"
#include "diag.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Load a file of this name; return the messages, with FILE for the file's path, to free(). */
static char *
load_named_new(const char *name, const char *text, struct conf *conf, int *status)
{
	char path[200];
	snprintf(path, sizeof path, "%s", check_file(name, text));
	diag_init("t");
	check_capture(STDERR_FILENO);
	*status = conf_load(conf, path);
	return check_replaced_new(check_captured_new(STDERR_FILENO), path, "FILE");
}

static inline char *
load_new(const char *yaml, struct conf *conf, int *status)
{
	return load_named_new("c.yaml", yaml, conf, status);
}

static bool
load_named(const char *name, const char *text, struct conf *conf)
{
	int status;
	char *messages = load_named_new(name, text, conf, &status);
	CHECK_STR(messages, "");
	free(messages);
	return CHECK_INT(status, 0);
}

static inline bool
load(const char *yaml, struct conf *conf)
{
	return load_named("c.yaml", yaml, conf);
}

#endif
