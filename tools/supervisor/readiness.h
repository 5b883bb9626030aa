/* readiness - may the service start on this node, and will it see anything? Facts in, findings out. Pure. */
#ifndef SUPERVISOR_READINESS_H
#define SUPERVISOR_READINESS_H

#include "pipeline.h"
#include "scan.h"

#include <stdint.h>

/* The order is that of how bad it is. */
enum readiness_severity {
	READINESS_FATAL,   /* the service does not start */
	READINESS_LOUD,    /* it starts, and does not see or keep something that it is for */
	READINESS_WARNING, /* it starts, and somebody should look at this */
	READINESS_NOTE,
};

struct readiness_finding {
	enum readiness_severity severity;
	int exit_code; /* if fatal */
	char *text;    /* one line */
	bool is_heard; /* it is a whole message of a stage already, with its name and level */
};

struct readiness {
	struct readiness_finding *findings;
	size_t count, capacity;
	bool failed; /* memory ran out: something is missing */
};

/* A file that is to be read; `error` is an errno value, 0: it can be. */
struct readiness_file {
	const char *path; /* NULL: it is not wanted */
	int error;
};

/* In the place of an errno value: it is a device, FIFO or socket. */
#define READINESS_SPECIAL (-1)

/* A file that is to be written, and replaced. */
struct readiness_place {
	const char *path;    /* NULL: it is not wanted */
	int directory_error; /* why its directory cannot be written to, or made; 0: it can */
	int error;           /* why the file itself cannot be used; 0: it can, or is not there */
};

/* What a stage said when it was tried with the options it would be started with. */
struct readiness_trial {
	bool is_refused; /* it will not work as it is told to: `exit_code` */
	int exit_code;
	const char *said;    /* its stderr; NULL: nothing */
	const char *trouble; /* how else it failed, as in "killed by SIGSEGV"; NULL: it did not */
};

struct readiness_facts {
	bool thorough; /* also what the stages would warn about themselves */

	const char *programs;        /* the directory of the stages */
	int program_errors[STAGE_N]; /* why each cannot be run; 0: it can, or is not wanted */
	struct readiness_trial trials[STAGE_N]; /* all zero: it was not tried */

	int conf_status; /* an exit code when the configuration is bad, which has been said */
	const char *unread_toml; /* a file of the original that is not read; NULL: there is none */

	struct readiness_file sysfs_root;
	bool is_sysfs;           /* the root has what every sysfs has */
	const struct scan *scan; /* with roles; NULL: there is none */

	struct readiness_file kmsg, boot_id;
	struct readiness_place state, log_state, spool;

	const char *node;
	uint64_t now_ns;                 /* since 1970 */
	const char *metrics_address;     /* NULL: all */
	int metrics_port, metrics_error; /* why it cannot be listened there; 0: it can */
};

/* Judges the facts, in the order in which a person would want to read. Free with readiness_fini(). */
void readiness_judge(struct readiness *readiness, const struct readiness_facts *facts);

/* The exit code of the first fatal finding, 0 when there is none. */
int readiness_exit_code(const struct readiness *readiness);

/* For the parts of readiness_judge(): adds a finding. */
void readiness_say(struct readiness *readiness, enum readiness_severity severity, int exit_code,
	const char *format, ...) __attribute__((format(printf, 4, 5)));

void readiness_fini(struct readiness *readiness);

#endif
