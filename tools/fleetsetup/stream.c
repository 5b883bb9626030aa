/* stream - creates or updates the NATS JetStream stream of a fleet's events. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "stream.h"

#include "diag.h"
#include "num.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Subjects that emit publishes, of all fabrics and nodes. */
#define SUBJECTS "nic.>"

/* Defaults of a new stream. Three replicas survive the loss of one server. A client repeats an
 * event if the server failed before it answered; the server should be up again within the hour. */
static const struct stream_wanted by_default = {
	.keep_ns = UINT64_C(7) * 86400 * NUM_NS_PER_S,
	.replicas = 3,
	.duplicate_ns = 3600 * NUM_NS_PER_S,
};

/* --- configuration --- */

static void
set(int64_t *field, uint64_t wanted, bool *is_changed)
{
	if (wanted == 0 || *field == (int64_t)wanted)
		return;
	*field = (int64_t)wanted;
	*is_changed = true;
}

/* Return true if anything changed. */
static bool
adjust(jsStreamConfig *config, const struct stream_wanted *wanted)
{
	bool is_changed = false;
	set(&config->MaxAge, wanted->keep_ns, &is_changed);
	set(&config->MaxBytes, wanted->size_bytes, &is_changed);
	set(&config->Replicas, wanted->replicas, &is_changed);
	set(&config->Duplicates, wanted->duplicate_ns, &is_changed);
	/* The server rejects a duplicate window longer than the retention time. */
	if (wanted->duplicate_ns == 0 && config->MaxAge > 0 && config->Duplicates > config->MaxAge)
		set(&config->Duplicates, (uint64_t)config->MaxAge, &is_changed);
	return is_changed;
}

static bool
has_subjects(const jsStreamConfig *config)
{
	for (int i = 0; i < config->SubjectsLen; i++)
		if (strcmp(config->Subjects[i], SUBJECTS) == 0)
			return true;
	return false;
}

/* Append the subjects of events to those of the stream. `*subjects` is the new array, for free().
 * Return false when memory ran out. */
static bool
add_subjects(jsStreamConfig *config, const char ***subjects)
{
	size_t count = (size_t)config->SubjectsLen;
	*subjects = calloc(count + 1, sizeof **subjects);
	if (*subjects == NULL)
		return false;
	for (size_t i = 0; i < count; i++)
		(*subjects)[i] = config->Subjects[i];
	(*subjects)[count] = SUBJECTS;
	config->Subjects = *subjects;
	config->SubjectsLen++;
	return true;
}

/* --- setup --- */

static int
refuse(const char *name, const char *what, const char *why)
{
	diag_error("stream %s: %s: %s", name, what, why);
	return EXIT_UNAVAILABLE;
}

static void
show(const jsStreamConfig *config, const char *what)
{
	char keep[NUM_DURATION_SIZE], duplicates[NUM_DURATION_SIZE];
	num_format_duration((uint64_t)config->MaxAge, keep);
	num_format_duration((uint64_t)config->Duplicates, duplicates);
	printf("stream %s: %s: events are kept for %s", config->Name, what,
		config->MaxAge > 0 ? keep : "ever");
	if (config->MaxBytes > 0)
		printf(", the newest %" PRIi64 " bytes", config->MaxBytes);
	printf(", replicas %" PRIi64 ", duplicates are recognized for %s\n", config->Replicas,
		duplicates);
}

static int
make(natsConnection *connection, jsCtx *context, const char *name,
	const struct stream_wanted *wanted)
{
	const char *subjects[] = {SUBJECTS};
	jsStreamConfig config;
	jsStreamInfo *made = NULL;
	natsStatus status = natslib.jsStreamConfig_Init(&config);
	config.Name = name;
	config.Subjects = subjects;
	config.SubjectsLen = 1;
	adjust(&config, &by_default);
	adjust(&config, wanted);
	if (status == NATS_OK)
		status = natslib.js_AddStream(&made, context, &config, NULL, NULL);
	if (status != NATS_OK)
		return refuse(name, "cannot be created", natsdial_words(connection, status));
	show(made->Config, "created");
	natslib.jsStreamInfo_Destroy(made);
	return 0;
}

static int
change(natsConnection *connection, jsCtx *context, const jsStreamConfig *old,
	const struct stream_wanted *wanted)
{
	const char **subjects = NULL;
	jsStreamConfig config = *old;
	jsStreamInfo *changed = NULL;
	bool is_changed = adjust(&config, wanted);
	if (!has_subjects(old)) {
		if (!add_subjects(&config, &subjects))
			return diag_no_memory();
		is_changed = true;
	}
	if (!is_changed) {
		show(old, "unchanged");
		return 0;
	}
	natsStatus status = natslib.js_UpdateStream(&changed, context, &config, NULL, NULL);
	free(subjects);
	if (status != NATS_OK)
		return refuse(old->Name, "cannot be changed", natsdial_words(connection, status));
	show(changed->Config, "changed");
	natslib.jsStreamInfo_Destroy(changed);
	return 0;
}

static int
set_up(natsConnection *connection, jsCtx *context, const char *name,
	const struct stream_wanted *wanted)
{
	jsStreamInfo *old = NULL;
	natsStatus status = natslib.js_GetStreamInfo(&old, context, name, NULL, NULL);
	if (status == NATS_NOT_FOUND)
		return make(connection, context, name, wanted);
	if (status != NATS_OK)
		return refuse(name, "cannot be queried", natsdial_words(connection, status));
	int code = change(connection, context, old->Config, wanted);
	natslib.jsStreamInfo_Destroy(old);
	return code;
}

int
stream_setup(const struct natsdial *dial, const char *name, const struct stream_wanted *wanted)
{
	char problem[TRUST_PROBLEM_SIZE];
	natsConnection *connection = NULL;
	jsCtx *context = NULL;
	jsOptions options;
	natsStatus status = natsdial_connect(&connection, dial, problem);
	if (status == NATS_OK)
		status = natslib.jsOptions_Init(&options);
	if (status == NATS_OK) {
		options.Wait = (int64_t)dial->timeout_ms;
		status = natslib.natsConnection_JetStream(&context, connection, &options);
	}
	int code =
		status == NATS_OK
			? set_up(connection, context, name, wanted)
			: refuse(name, "cannot connect",
				  *problem != '\0' ? problem : natsdial_words(connection, status));
	natslib.jsCtx_Destroy(context);
	natslib.natsConnection_Destroy(connection);
	return code;
}
