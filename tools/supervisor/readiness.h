/* readiness - may the service start on this node, and will it see anything? Facts in, findings out.
 * Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERVISOR_READINESS_H
#define SUPERVISOR_READINESS_H

#include "atomfile.h"
#include "findings.h"
#include "ownfile.h"
#include "pipeline.h"
#include "scan.h"

#include <stdint.h>

/* A file that is to be read; `error` is an errno value, 0: it can be. */
struct readiness_file {
	const char *path; /* NULL: it is not wanted */
	int error;
};

/* In the place of an errno value: it is a device, FIFO or socket; it is a link. */
#define READINESS_SPECIAL (-1)
#define READINESS_LINK (-2)

/* A file that is to be written, and replaced. */
struct readiness_place {
	const char *path;    /* NULL: it is not wanted */
	int directory_error; /* why its directory cannot be written to, or made; 0: it can */
	int error;           /* why the file itself cannot be used; 0: it can, or is not there */
	/* another process has it, as in `process 4711`; "": none */
	char user[ATOMFILE_HOLDER_SIZE];
	char refusal[OWNFILE_REASON_SIZE]; /* why it is not ours; "": it is, or is not there */
	uid_t owner;                       /* as whom root has looked at all that; 0: as itself */
};

/* What a stage said when it was tried with the options it would be started with. */
struct readiness_trial {
	bool is_refused; /* it will not work as it is told to: `exit_code` */
	int exit_code;
	const char *said;    /* its stderr; NULL: nothing */
	const char *trouble; /* how else it failed, as in "killed by SIGSEGV"; NULL: it did not */
};

struct readiness_facts {
	/* nothing will be started: also what the stages would warn about themselves */
	bool thorough;

	const char *programs;        /* the directory of the stages */
	int program_errors[STAGE_N]; /* why each cannot be run; 0: it can, or is not wanted */
	struct readiness_trial trials[STAGE_N]; /* all zero: it was not tried */

	int conf_status; /* an exit code when the configuration is bad, which has been said */
	/* a file of the original beside the one that is read; NULL: there is none */
	const char *unread_toml;

	struct readiness_file sysfs_root;
	bool is_sysfs;           /* the root has what every sysfs has */
	const struct scan *scan; /* with roles; NULL: there is none */

	struct readiness_file kmsg, boot_id;
	struct readiness_place state, log_state, acks, spool;

	const char *node;
	uint64_t now_ns;                 /* since 1970 */
	const char *metrics_address;     /* NULL: all */
	int metrics_port, metrics_error; /* why it cannot be listened there; 0: it can */
	bool is_served;                  /* it is a nic-health-monitor that listens there */
};

/* Evaluates the facts, in the order in which a person would want to read what comes of them.
 * `findings` is set; free it with findings_fini(). */
void readiness_eval(struct findings *findings, const struct readiness_facts *facts);

#endif
