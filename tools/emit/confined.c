/* confined - confines emit to the files and ports of its options. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "confined.h"

#include "array.h"
#include "hostfiles.h"
#include "num.h"
#include "out/sinkspec.h"
#include "out/transport.h"

#include <stdlib.h>

/* Allow what a sink needs. Files that other programs replace are allowed by their directory. Return
 * true if the sink has a host. */
static bool
allow_sink(struct confine *confine, const struct sink_spec *spec)
{
	uint64_t port;
	const char *const replaced[] = {
		spec->files.ca, spec->files.cert, spec->files.key, spec->files.token};
	for (size_t i = 0; i < ARRAY_COUNT(replaced); i++)
		confine_allow_beside(confine, replaced[i], LANDLOCK_READ);
	if (spec->host == NULL) {
		/* Connecting to a socket needs no right to its directory. */
		bool is_file = spec->kind->transport != NULL && !spec->kind->transport->is_socket;
		confine_allow_beside(confine, is_file ? spec->path : NULL, LANDLOCK_KEEP);
		return false;
	}
	if (spec->service != NULL && num_parse_u64(spec->service, UINT16_MAX, &port) == NUM_OK)
		confine_allow_connecting(confine, (uint16_t)port);
	return true;
}

int
confined_enter(const char *program, const struct run_options *options, const char *spool_path,
	char *const *inputs)
{
	struct confine confine;
	confine_init(&confine, program, options->confine);
	confine_allow_beside(&confine, spool_path, LANDLOCK_KEEP);
	confine_allow_beside(&confine, options->journal.acks_path, LANDLOCK_KEEP);
	confine_allow_beside(&confine, options->silences_path, LANDLOCK_READ);
	confine_allow(&confine, options->journal.boot_id_path, LANDLOCK_READ);
	bool has_host = false;
	for (size_t i = 0; i < options->spec_count; i++)
		has_host |= allow_sink(&confine, &options->specs[i]);
	if (has_host)
		hostfiles_allow(&confine);
	for (; *inputs != NULL; inputs++)
		confine_allow(&confine, *inputs, LANDLOCK_READ);
	return confine_enter(&confine);
}
