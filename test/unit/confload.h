/* confload - loading a configuration that a test has as a text. */
#ifndef CONFLOAD_H
#define CONFLOAD_H

#include "check.h"
#include "conf.h"
#include "diag.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Loads `yaml`; the messages, with FILE for the file's name, are to be freed. */
static char *
load_new(const char *yaml, struct conf *conf, int *status)
{
	char path[200];
	snprintf(path, sizeof path, "%s", check_file("c.yaml", yaml));
	diag_init("t");
	check_capture(STDERR_FILENO);
	*status = conf_load(conf, path);
	return check_replaced_new(check_captured_new(STDERR_FILENO), path, "FILE");
}

static bool
load(const char *yaml, struct conf *conf)
{
	int status;
	char *messages = load_new(yaml, conf, &status);
	CHECK_STR(messages, "");
	free(messages);
	return CHECK_INT(status, 0);
}

#endif
