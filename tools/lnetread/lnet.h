/* lnet - what one read of lnetctl says. Pure.
 *
 * A read is what `lnetctl net show -v 4`, `peer show -v 4`, `stats show` and, if it is there,
 * `global show` print, one after the other. Absent, unreadable and 0 are three things: a key that
 * this version of lnetctl does not print is absent, a value that is not what the key promises is
 * unreadable. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_LNETREAD_LNET_H
#define NHM_LNETREAD_LNET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A node has one local NI per port and net. */
#define LNET_NIS_MAX 256

/* IFNAMSIZ: names of interfaces; those of nets are as short. */
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

/* One number that lnetctl prints. */
struct lnet_field {
	const char *path; /* within the local NI, peer NI or section */
	const char *key;  /* in the record */
};

/* The numbers of a local NI; counters from LNET_NI_COUNTERS on. */
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
	struct lnet_number sums[LNET_PEER_N]; /* they stay at their maximum */
};

enum lnet_section { LNET_NET, LNET_PEER, LNET_STATISTICS, LNET_GLOBAL, LNET_SECTION_N };
extern const char *const lnet_section_names[LNET_SECTION_N];

/* What became of a command. */
struct lnet_outcome {
	bool is_present, has_failed;
	int error; /* errno of the failure, 0 when it is not known */
};

struct lnet {
	struct lnet_ni nis[LNET_NIS_MAX];
	size_t ni_count;
	struct lnet_peers peers;
	struct lnet_number statistics[LNET_STATISTICS_N];
	struct lnet_number health_sensitivity;
	struct lnet_outcome outcomes[LNET_SECTION_N];
	struct lnet_outcome device; /* of opening LNet's device, which all commands need */
	bool is_malformed;          /* nothing of it is to be used */
	bool is_cut;                /* its end is missing */
	/* for people, each about the first of its kind; "" for none */
	char refusal[LNET_REASON_SIZE]; /* why it is malformed */
	char failure[LNET_REASON_SIZE]; /* of lnetctl */
	char unreadable[LNET_REASON_SIZE];
};

enum lnet_status {
	LNET_PARSED, /* `is_malformed` says whether it could be */
	LNET_NO_MEMORY,
};

/* Parses the text of a read; `is_cut` says that its end is known to be missing. */
enum lnet_status lnet_parse(const char *text, size_t length, bool is_cut, struct lnet *lnet);

/* Makes `*lnet` a read of which nothing can be used. */
void lnet_refuse(struct lnet *lnet, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Why a section is not in the read: the name of an errno, `malformed`, `missing` or `failed`. NULL
 * when it is there, or need not be: a node without peers shows none. */
const char *lnet_missing(const struct lnet *lnet, enum lnet_section section);

/* True when nothing is missing. */
bool lnet_is_complete(const struct lnet *lnet);

/* Writes into `reason` what is wrong first, for people, "" for nothing, and returns the exit code
 * for it. */
int lnet_problem(const struct lnet *lnet, char reason[LNET_REASON_SIZE]);

#endif
