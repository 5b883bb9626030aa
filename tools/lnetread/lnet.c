/* lnet - parses one read of lnetctl's output. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "lnet.h"

#include "array.h"
#include "fault.h"
#include "num.h"
#include "walk.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define NI_PATH "net/local NI(s)"
#define PEER_NI_PATH "peer/peer ni"

/* LNET_MAX_HEALTH_VALUE */
#define FULL_HEALTH 1000

/* --- values --- */

/* A read being parsed. */
struct parsing {
	struct lnet *lnet;
	struct lnet_name net; /* of the local NIs that follow */
	bool is_loopback;     /* the net is `lo`, whose NI has no interface and is ignored */
	struct lnet_outcome *failing; /* the command whose failure is being parsed; nullable */
};

/* Return the part of `path` below `above`; NULL if `path` is not below it. */
static const char *
below(const char *path, const char *above)
{
	size_t length = strlen(above);
	return strncmp(path, above, length) == 0 && path[length] == '/' ? path + length + 1 : NULL;
}

static void
note_unreadable(struct lnet *lnet, const char *path, const char *text)
{
	if (*lnet->unreadable == '\0')
		snprintf(lnet->unreadable, sizeof lnet->unreadable, "%.150s: '%.40s'", path, text);
}

static struct lnet_number
parse_number(struct lnet *lnet, const char *path, const char *text)
{
	struct lnet_number number = {.state = LNET_KNOWN};
	if (num_parse_u64(text, UINT64_MAX, &number.value) == NUM_OK)
		return number;
	note_unreadable(lnet, path, text);
	return (struct lnet_number){.state = LNET_UNREADABLE};
}

/* Return true for a name of an interface or net, and false for an address: LNet's have an @, IPv6
 * ones a colon, and IPv4 ones only digits and dots. */
static bool
is_name(const char *text, size_t length)
{
	size_t i = 0;
	while (i < length && isgraph((unsigned char)text[i]) && strchr("/@:", text[i]) == NULL)
		i++;
	return i == length && strspn(text, "0123456789.") < length;
}

static struct lnet_name
parse_name(struct lnet *lnet, const char *path, const char *text)
{
	struct lnet_name name = {.state = LNET_KNOWN};
	size_t length = strlen(text);

	if (length < sizeof name.text && is_name(text, length)) {
		memcpy(name.text, text, length + 1);
		return name;
	}
	note_unreadable(lnet, path, text);
	return (struct lnet_name){.state = LNET_UNREADABLE};
}

/* Return the index of the field in a table of `count`; `count` if it is not there. */
static size_t
find_field(const struct lnet_field *fields, size_t count, const char *path)
{
	size_t i = 0;
	while (i < count && strcmp(fields[i].path, path) != 0)
		i++;
	return i;
}

static void
accept_ni_value(struct parsing *parsing, const char *path, const char *rest, const char *text)
{
	struct lnet *lnet = parsing->lnet;
	if (parsing->is_loopback || lnet->ni_count == 0)
		return;
	struct lnet_ni *ni = &lnet->nis[lnet->ni_count - 1];
	size_t field = find_field(lnet_ni_fields, LNET_NI_N, rest);

	if (field < LNET_NI_N)
		ni->numbers[field] = parse_number(lnet, path, text);
	else if (strcmp(rest, "interfaces/0") == 0)
		ni->netdev = parse_name(lnet, path, text);
	else if (strcmp(rest, "status") == 0)
		ni->status = parse_name(lnet, path, text);
}

static void
add_to_sum(struct lnet_number *sum, struct lnet_number number)
{
	if (sum->state == LNET_UNREADABLE || number.state != LNET_KNOWN) {
		*sum = (struct lnet_number){.state = LNET_UNREADABLE};
		return;
	}
	sum->state = LNET_KNOWN;
	if (__builtin_add_overflow(sum->value, number.value, &sum->value))
		sum->value = UINT64_MAX;
}

static void
add_peer_health(struct lnet_peers *peers, struct lnet_number health)
{
	if (health.state != LNET_KNOWN)
		return;
	peers->below_full_health += health.value < FULL_HEALTH;
	if (peers->lowest_health.state != LNET_KNOWN || health.value < peers->lowest_health.value)
		peers->lowest_health = health;
}

static void
accept_peer_value(struct lnet *lnet, const char *path, const char *rest, const char *text)
{
	size_t field = find_field(lnet_peer_fields, LNET_PEER_N, rest);

	if (field < LNET_PEER_N)
		add_to_sum(&lnet->peers.sums[field], parse_number(lnet, path, text));
	else if (strcmp(rest, "health stats/health value") == 0)
		add_peer_health(&lnet->peers, parse_number(lnet, path, text));
}

static void
accept_statistic(struct lnet *lnet, const char *path, const char *rest, const char *text)
{
	size_t field = find_field(lnet_statistics_fields, LNET_STATISTICS_N, rest);
	if (field < LNET_STATISTICS_N)
		lnet->statistics[field] = parse_number(lnet, path, text);
}

/* --- failures, which lnetctl reports as YAML, and its library as text --- */

/* Return the part of a path below a failure report, such as `net/errno`, or `errno` if lnetctl uses
 * Netlink; NULL if the path is not in a failure report. */
static const char *
below_failure(const char *path)
{
	static const char *const commands[] = {"show", "manage", "lnetctl"};
	const char *rest = NULL;
	for (size_t i = 0; rest == NULL && i < ARRAY_COUNT(commands); i++)
		rest = below(path, commands[i]);
	return rest;
}

static struct lnet_outcome *
find_outcome(struct lnet *lnet, const char *name)
{
	if (strcmp(name, "stats") == 0)
		return &lnet->outcomes[LNET_STATISTICS];
	for (size_t i = 0; i < LNET_SECTION_N; i++)
		if (strcmp(name, lnet_section_names[i]) == 0)
			return &lnet->outcomes[i];
	return &lnet->device;
}

/* The name of the failed command comes before the reason. */
static void
begin_failure(struct parsing *parsing, const char *name)
{
	parsing->failing = find_outcome(parsing->lnet, name);
	parsing->failing->has_failed = true;
}

static void
describe_failure(struct parsing *parsing, const char *rest, const char *text)
{
	const char *slash = strrchr(rest, '/');
	const char *key = slash != NULL ? slash + 1 : rest;
	struct lnet *lnet = parsing->lnet;

	if (strcmp(key, "errno") == 0 && parsing->failing != NULL)
		parsing->failing->error = fault_errno(text);
	else if (strcmp(key, "descr") == 0 && *lnet->failure == '\0')
		snprintf(lnet->failure, sizeof lnet->failure, "%.200s", text);
	else if (slash == NULL && strcmp(key, "seqno") != 0)
		begin_failure(parsing, key);
}

/* Accept a line such as `opening /dev/lnet failed: No such file or directory`. */
static void
accept_device_failure(struct lnet *lnet, const char *path, const char *text)
{
	lnet->device.has_failed = true;
	lnet->device.error = fault_errno_of_message(text);
	if (*lnet->failure == '\0')
		snprintf(lnet->failure, sizeof lnet->failure, "%.80s: %.120s", path, text);
}

/* --- callbacks of walk() --- */

static void
begin_net(struct parsing *parsing)
{
	parsing->net = (struct lnet_name){0};
	parsing->is_loopback = false;
}

static void
begin_ni(struct parsing *parsing)
{
	struct lnet *lnet = parsing->lnet;
	if (parsing->is_loopback)
		return;
	if (lnet->ni_count == LNET_NIS_MAX)
		lnet_refuse(lnet, "more than %d local NIs", LNET_NIS_MAX);
	else if (!lnet->is_malformed)
		lnet->nis[lnet->ni_count++] = (struct lnet_ni){.net = parsing->net};
}

/* Reject a read with two copies of a section: its NIs would be counted twice. */
static void
begin_section(struct lnet *lnet, const char *path)
{
	for (size_t i = 0; i < LNET_SECTION_N; i++) {
		if (strcmp(path, lnet_section_names[i]) != 0)
			continue;
		if (lnet->outcomes[i].is_present)
			lnet_refuse(
				lnet, "%s twice: a '# lnetread' line must begin each read", path);
		lnet->outcomes[i].is_present = true;
	}
}

static void
begin(void *context, const char *path, bool is_item)
{
	struct parsing *parsing = context;
	const char *failure = below_failure(path);

	if (!is_item)
		begin_section(parsing->lnet, path);
	else if (strcmp(path, "net") == 0)
		begin_net(parsing);
	else if (strcmp(path, NI_PATH) == 0)
		begin_ni(parsing);
	else if (strcmp(path, "peer") == 0)
		parsing->lnet->peers.peers++;
	else if (strcmp(path, PEER_NI_PATH) == 0)
		parsing->lnet->peers.peer_nis++;
	if (failure != NULL && strchr(failure, '/') == NULL)
		begin_failure(parsing, failure);
}

static void
accept_value(void *context, const char *path, const char *text)
{
	struct parsing *parsing = context;
	struct lnet *lnet = parsing->lnet;
	const char *rest;

	if ((rest = below(path, NI_PATH)) != NULL)
		accept_ni_value(parsing, path, rest, text);
	else if ((rest = below(path, PEER_NI_PATH)) != NULL)
		accept_peer_value(lnet, path, rest, text);
	else if ((rest = below(path, "statistics")) != NULL)
		accept_statistic(lnet, path, rest, text);
	else if ((rest = below_failure(path)) != NULL)
		describe_failure(parsing, rest, text);
	else if (strcmp(path, "global/health_sensitivity") == 0)
		lnet->health_sensitivity = parse_number(lnet, path, text);
	else if (strcmp(path, "net/net type") == 0) {
		parsing->net = parse_name(lnet, path, text);
		parsing->is_loopback = strcmp(parsing->net.text, "lo") == 0;
	} else if (strncmp(path, "opening ", strlen("opening ")) == 0)
		accept_device_failure(lnet, path, text);
	else
		begin_section(lnet, path); /* a section without contents */
}

enum lnet_status
lnet_parse(const char *text, size_t length, bool is_cut, struct lnet *lnet)
{
	static const struct walk_handler handler = {begin, accept_value};
	struct parsing parsing = {.lnet = lnet};
	struct walk_error error;

	*lnet = (struct lnet){.is_cut = is_cut};
	if (!walk(text, length, &handler, &parsing, &error)) {
		if (error.no_memory)
			return LNET_NO_MEMORY;
		lnet_refuse(lnet, "line %zu of the read: %s", error.line, error.reason);
	}
	return LNET_PARSED;
}
