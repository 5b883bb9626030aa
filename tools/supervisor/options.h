/* options - the command line of the service, and of its other modes. */
#ifndef SUPERVISOR_OPTIONS_H
#define SUPERVISOR_OPTIONS_H

#include "checks.h"
#include "once.h"
#include "pipeline.h"
#include "sinkwords.h"
#include "statefiles.h"

enum options_mode {
	OPTIONS_SERVE,
	OPTIONS_CHECK, /* --check-config */
	OPTIONS_ONCE,
};

/* What the command line asks for. Texts are the command line's own, or in here: it is not to be moved. */
struct options {
	enum options_mode mode;
	struct service_options service;
	struct once_options once;

	/* what service points to */
	struct sinkwords sinks;
	struct checks checks;
	struct statefiles files;
};

/* Parses the command line. 0, or -1 when the program is to end with `*exit_code`; whatever there is to say has been said. */
int options_parse(struct options *options, int argc, char **argv, int *exit_code);

#endif
