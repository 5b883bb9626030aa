/* serveraddress - the address of a fleet's events. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "serveraddress.h"

#include "diag.h"
#include "num.h"
#include "opt.h"
#include "text.h"
#include "webaddress.h"

const char *
serveraddress_parse(
	struct serveraddress *out, const char *text, const struct serveroptions *options)
{
	const char *reason = "nats://HOST/STREAM or postgresql://USER@HOST/DATABASE is expected";
	bool has_tls = false;
	*out = (struct serveraddress){
		.options = options, .is_database = text_has_prefix(text, "postgresql:")};
	if (out->is_database) {
		reason = pgaddress_parse(&out->database, text);
		has_tls = out->database.has_tls;
	} else if (text_has_prefix(text, "nats:") || text_has_prefix(text, "tls:")) {
		reason = natsaddress_parse(&out->stream, text);
		has_tls = reason == NULL && natsaddress_has_tls(&out->stream);
		if (reason == NULL)
			reason = natslib_load();
	}
	return reason != NULL ? reason
			      : serveroptions_check(options, has_tls, out->database.is_local);
}

int
serveraddress_refuse(char *text, const char *reason)
{
	if (reason == opt_no_memory)
		return diag_no_memory();
	webaddress_hide(text);
	diag_error("%s: %s (try '%s --help')", text, reason, diag_name());
	return EXIT_USAGE;
}

const char *
serveraddress_port(const struct serveraddress *address)
{
	if (!address->is_database)
		return address->stream.port;
	return address->database.is_local ? NULL : address->database.port;
}

struct natsdial
serveraddress_natsdial(const struct serveraddress *address, const char *name)
{
	const struct serveroptions *options = address->options;
	return (struct natsdial){.url = address->stream.url,
		.host = address->stream.host,
		.server_name = options->server_name,
		.files = &options->files,
		.name = name,
		.timeout_ms = options->timeout_ns / NUM_NS_PER_MS};
}

struct pgdial
serveraddress_pgdial(const struct serveraddress *address, const char *name)
{
	return (struct pgdial){.host = address->database.host,
		.port = address->database.port,
		.database = address->database.database,
		.user = address->database.user,
		.has_tls = address->database.has_tls,
		.server_name = address->options->server_name,
		.files = &address->options->files,
		.name = name};
}

void
serveraddress_fini(struct serveraddress *address)
{
	natsaddress_fini(&address->stream);
	pgaddress_fini(&address->database);
}
