/* recorded - scan records from a file or a pipe instead of sysfs. */
#ifndef IBSCAN_RECORDED_H
#define IBSCAN_RECORDED_H

#include "output.h"

/* Hands every record of the file `path`, or of stdin for "-", to `output`. What goes wrong is said on stderr; returns the exit code. */
int recorded_run(const char *path, struct output *output);

#endif
