/* readiness - evaluates facts about this node: whether the service can start here, and what it
 * cannot see. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERVISOR_READINESS_H
#define SUPERVISOR_READINESS_H

#include "atomfile.h"
#include "findings.h"
#include "ownfile.h"
#include "pipeline.h"
#include "scan.h"

#include <stdint.h>

/* A file that is read; `error` is an errno value, 0: it is readable. */
struct readiness_file {
	const char *path; /* NULL: it is not used */
	int error;
};

/* Instead of an errno value: the path is a device, FIFO or socket; it is a symbolic link. */
#define READINESS_SPECIAL (-1)
#define READINESS_LINK (-2)

/* A file that is written and replaced. */
struct readiness_place {
	const char *path;    /* NULL: it is not used */
	int directory_error; /* why no file can be created in its directory; 0: one can */
	int error;           /* why the file itself cannot be used; 0: it can, or does not exist */
	/* the process that uses it, as in `process 4711`; "": none */
	char user[ATOMFILE_HOLDER_SIZE];
	char refusal[OWNFILE_REASON_SIZE]; /* why it is not ours; "": it is, or is missing */
	uid_t owner; /* the user as whom root checked all this; 0: as itself */
};

/* The result of running a stage with the options that it would start with. */
struct readiness_trial {
	bool is_refused; /* it rejected its options with `exit_code` */
	int exit_code;
	const char *said;    /* its stderr; NULL: none */
	const char *trouble; /* how else it failed, as in "killed by SIGSEGV"; NULL: it did not */
};

struct readiness_facts {
	/* --check-config: also report what the stages would warn about when they start */
	bool thorough;

	const char *programs;        /* directory of the stages */
	int program_errors[STAGE_N]; /* why each cannot be executed; 0: it can, or is not needed */
	struct readiness_trial trials[STAGE_N]; /* all zeros: it was not run */

	int conf_status; /* exit code for a bad configuration, already reported; 0: good */
	/* a file of the original that is ignored in favour of ours; NULL: none */
	const char *unread_toml;

	struct readiness_file sysfs_root;
	bool is_sysfs;           /* the root has what every sysfs has */
	const struct scan *scan; /* with roles; NULL: none */

	/* a file sink that is also a file of the state; NULL: none */
	const char *state_sink;
	bool sinks_are_configured; /* by the configuration, not the command line */

	struct readiness_file kmsg, boot_id;
	struct readiness_place state, log_state, pattern_state, acks, spool;

	const char *node;
	uint64_t now_ns;                 /* since 1970 */
	const char *metrics_address;     /* NULL: all */
	int metrics_port, metrics_error; /* why listening there fails; 0: it does not */
	bool is_served;                  /* a nic-health-monitor listens there */
};

/* Evaluate the facts and set `findings`, in the order in which a person wants to read them. Free it
 * with findings_fini(). */
void readiness_eval(struct findings *findings, const struct readiness_facts *facts);

#endif
