/* lnet - parses one read of lnetctl's output. Pure.
 *
 * A read is the output of `lnetctl net show -v 4`, `peer show -v 4`, `stats show` and, optionally,
 * `global show`, one after the other. Absent, unreadable and 0 are different: a key that this
 * version of lnetctl does not print is absent; a value of the wrong type is unreadable. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_LNETREAD_LNET_H
#define NHM_LNETREAD_LNET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Maximum of local NIs; a node has one per port and net. */
#define LNET_NIS_MAX 256

/* IFNAMSIZ: room for the name of an interface. Names of nets are as short. */
#define LNET_NAME_SIZE 16

#define LNET_REASON_SIZE 256

enum lnet_state { LNET_ABSENT, LNET_UNREADABLE, LNET_KNOWN };

struct lnet_number {
	enum lnet_state state;
	uint64_t value;
};

struct lnet_name {
	enum lnet_state state;
	char text[LNET_NAME_SIZE];
};

/* A number that lnetctl prints. */
struct lnet_field {
	const char *path; /* below the local NI, peer NI or section */
	const char *key;  /* its key in the record */
};

/* The numbers of a local NI; from LNET_NI_COUNTERS on they are counters. */
enum { LNET_NI_FATAL_ERROR, LNET_NI_HEALTH_VALUE, LNET_NI_COUNTERS, LNET_NI_N = 11 };
extern const struct lnet_field lnet_ni_fields[LNET_NI_N];

/* The counters of a peer NI. */
enum { LNET_PEER_N = 4 };
extern const struct lnet_field lnet_peer_fields[LNET_PEER_N];

/* The counters of the node. */
enum { LNET_STATISTICS_N = 18 };
extern const struct lnet_field lnet_statistics_fields[LNET_STATISTICS_N];

struct lnet_ni {
	struct lnet_name net, netdev, status;
	struct lnet_number numbers[LNET_NI_N];
};

struct lnet_peers {
	uint64_t peers, peer_nis;
	uint64_t below_full_health;
	struct lnet_number lowest_health;
	struct lnet_number sums[LNET_PEER_N]; /* saturated at UINT64_MAX */
};

enum lnet_section { LNET_NET, LNET_PEER, LNET_STATISTICS, LNET_GLOBAL, LNET_SECTION_N };
extern const char *const lnet_section_names[LNET_SECTION_N];

/* The result of one lnetctl command. */
struct lnet_outcome {
	bool is_present, has_failed;
	int error; /* errno of the failure, 0: unknown */
};

struct lnet {
	struct lnet_ni nis[LNET_NIS_MAX];
	size_t ni_count;
	struct lnet_peers peers;
	struct lnet_number statistics[LNET_STATISTICS_N];
	struct lnet_number health_sensitivity;
	struct lnet_outcome outcomes[LNET_SECTION_N];
	struct lnet_outcome device; /* result of opening LNet's device, which every command needs */
	bool is_malformed;          /* do not use any of its data */
	bool is_cut;                /* the end of the read is missing */
	/* messages, each about the first problem of its kind; "": none */
	char refusal[LNET_REASON_SIZE]; /* why the read is malformed */
	char failure[LNET_REASON_SIZE]; /* of a command of lnetctl */
	char unreadable[LNET_REASON_SIZE];
};

enum lnet_status {
	LNET_PARSED, /* parsed, or rejected: see `is_malformed` */
	LNET_NO_MEMORY,
};

/* Parse the text of a read into `*lnet`. `is_cut`: the end of the read is missing. */
enum lnet_status lnet_parse(const char *text, size_t length, bool is_cut, struct lnet *lnet);

/* Mark `*lnet` as malformed. The first reason is kept. */
void lnet_refuse(struct lnet *lnet, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Return why a section is missing: the name of an errno, `malformed`, `missing` or `failed`. Return
 * NULL if it is there or optional: a node without peers prints no peers. */
const char *lnet_missing(const struct lnet *lnet, enum lnet_section section);

/* Return true if no section is missing and the read is not cut. */
bool lnet_is_complete(const struct lnet *lnet);

/* Write the message about the most important problem to `reason`, "" if there is none, and return
 * its exit code. */
int lnet_problem(const struct lnet *lnet, char reason[LNET_REASON_SIZE]);

#endif
