/* desk - runs errands on the spool and the acks file in a thread. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "desk.h"

#include "acks.h"
#include "array.h"
#include "clock.h"
#include "sysfs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- in the thread --- */

static void
note_boot(struct spool *spool, const struct errand *errand)
{
	char boot_id[SYSFS_TEXT_MAX];
	if (errand->boot_id_path == NULL ||
		sysfs_read_file(errand->boot_id_path, boot_id, sizeof boot_id) != SYSFS_OK)
		return;
	/* On failure the next start detects the boot. */
	conditions_note_boot(spool, errand->node, boot_id, clock_realtime_ns());
}

/* Import what is readable of a broken spool. After a failure it is retried from the start before
 * anything else is stored. */
static enum database_status
take_over(struct spool *spool, struct errand *errand)
{
	enum database_status status = salvage_run(errand->broken, spool, &errand->salvage);
	if (status != DATABASE_OK)
		return status;
	if (spool->last_number < errand->salvage.last_number)
		spool->last_number = errand->salvage.last_number;
	errand->was_taken_over = true;
	return DATABASE_OK;
}

/* Add the lines in a new transaction. Roll it back on failure. */
static enum database_status
add_lines(struct spool *spool, const struct errand *errand)
{
	enum database_status status = spool_begin_events(spool);
	for (size_t i = 0; i < errand->count && status == DATABASE_OK; i++) {
		const struct queue_line *line = &errand->lines[i];
		uint64_t number = errand->number + i;
		status = line->facts != NULL ? spool_add_event(spool, number, line->facts,
						       line->text, line->length, line->received_ns)
					     : spool_add_line(spool, number, line->text,
						       line->length, line->received_ns);
	}
	if (status != DATABASE_OK)
		spool_give_up_events(spool);
	return status;
}

/* Store the lines in memory again: the end of a log that held them may be lost, or they went to
 * another file. */
static enum database_status
store_again(struct spool *spool, const struct errand *errand)
{
	if (errand->count == 0)
		return DATABASE_OK;
	enum database_status status = add_lines(spool, errand);
	if (status != DATABASE_OK)
		return status;
	uint64_t last = errand->number + (errand->count - 1);
	return spool_commit_events(
		spool, last > spool->last_number ? last : spool->last_number, NULL);
}

/* Set `stored` of each acknowledged stream. */
static enum database_status
find_ends(struct spool *spool, struct errand *errand)
{
	enum database_status status = DATABASE_OK;
	for (size_t i = 0; i < errand->acked.count && status == DATABASE_OK; i++) {
		struct source *source = &errand->acked.items[i];
		const struct source *known = sources_find(&errand->sources, source->name);
		source->stored = source->delivered;
		/* Do not trust the numbers of a broken spool. */
		if (known != NULL && !errand->was_taken_over && known->stored > source->stored)
			source->stored = known->stored;
		if (source->acked > source->stored)
			status =
				spool_find_end(spool, source->name, source->acked, &source->stored);
	}
	return status;
}

/* Return true if events were lost: each acknowledged event was stored once, so `stored` of a
 * stream, which counts delivered and dropped events too, must reach `acked`. */
static bool
has_lost(struct errand *errand)
{
	bool lost = errand->was_taken_over;
	for (size_t i = 0; i < errand->acked.count; i++) {
		const struct source *acked = &errand->acked.items[i];
		const struct source *known = sources_find(&errand->sources, acked->name);
		lost |= known == NULL || known->stored < acked->acked;
	}
	return lost;
}

/* A spool that lost its latest events also lost the standing conditions and the sinks' positions of
 * that time: restore them from the acks. */
static enum database_status
make_up_for(struct spool *spool, struct errand *errand)
{
	enum database_status status = keepsake_restore(spool, errand->standing, errand->acks);
	if (status == DATABASE_OK)
		status = spool_find_delivered(spool, &errand->acked, &errand->arrived_upto);
	return status;
}

static enum database_status
open_spool(struct spool *spool, struct errand *errand)
{
	enum database_status status = DATABASE_OK;
	if (!spool_is_open(spool))
		status = spool_open(spool, &errand->sources);
	if (status == DATABASE_OK && *errand->broken != '\0')
		status = take_over(spool, errand);
	if (status == DATABASE_OK)
		spool_note_beginning(spool);
	if (status == DATABASE_OK)
		status = store_again(spool, errand);
	if (status == DATABASE_OK)
		status = find_ends(spool, errand);
	keepsake_follow(spool, errand->standing);
	if (status == DATABASE_OK && has_lost(errand))
		status = make_up_for(spool, errand);
	if (status == DATABASE_OK)
		note_boot(spool, errand);
	return status;
}

static enum database_status
replace(struct spool *spool, struct errand *errand)
{
	char aside[DESK_PATH_SIZE];
	char *problem = spool->database.problem;
	snprintf(errand->problem, sizeof errand->problem, "%s", problem);
	spool_close(spool);
	if (database_move_aside(&spool->database, clock_realtime_ns(), aside, sizeof aside) < 0) {
		snprintf(problem, sizeof spool->database.problem,
			"%.200s, and it cannot be moved aside: %s", errand->problem,
			strerror(errno));
		return DATABASE_UNAVAILABLE;
	}
	errand->was_moved = true;
	/* If this spool broke while importing an older one, that one still has everything. */
	if (*errand->broken == '\0')
		memcpy(errand->broken, aside, sizeof aside);
	return open_spool(spool, errand);
}

static enum database_status
store(struct spool *spool, struct errand *errand)
{
	errand->was_removed = database_is_removed(&spool->database);
	if (errand->was_removed) {
		spool_close(spool);
		return DATABASE_UNAVAILABLE;
	}
	enum database_status status = add_lines(spool, errand);
	if (status != DATABASE_OK)
		return status;
	status = spool_commit_events(spool, errand->number + errand->count - 1,
		errand->keep_sources ? &errand->sources : NULL);
	errand->added = spool->added;
	errand->answered = spool->answered;
	return status;
}

static enum database_status
find_sink(struct spool *spool, struct errand *errand)
{
	struct spool_sink *found = &errand->found;
	enum database_status status =
		spool_get_position(spool, errand->sink, &found->position, &found->is_known);
	for (size_t i = 0; i < 2 && status == DATABASE_OK && !found->is_known; i++) {
		const char *former = errand->former[i];
		if (former == NULL || strcmp(former, errand->sink) == 0)
			continue;
		status = spool_rename_sink(spool, former, errand->sink);
		if (status == DATABASE_OK)
			status = spool_get_position(
				spool, errand->sink, &found->position, &found->is_known);
	}
	return status == DATABASE_OK
		       ? spool_get_doubt(spool, errand->sink, &found->doubted, &found->doubt_ns)
		       : status;
}

static enum database_status
look(struct spool *spool, struct errand *errand)
{
	enum database_status status = spool_used_bytes(spool, &errand->bytes);
	return status == DATABASE_OK ? spool_count_letters(spool, &errand->letters) : status;
}

/* Write the acks. A failure to write them is not a failure of the spool. */
static enum database_status
acknowledge(struct spool *spool, struct errand *errand)
{
	enum database_status status;
	errand->standing = keepsake_new(spool, &status);
	/* Without the standing conditions keep the acks that were written last. */
	if (errand->standing == NULL) {
		errand->error = status == DATABASE_OK ? ENOMEM : EIO;
		return status;
	}
	errand->error = acks_write(errand->path, errand->acks, errand->arrived, errand->standing,
				errand->receiver) < 0
				? errno
				: 0;
	return DATABASE_OK;
}

/* The reader of the file has already reported this line. */
static void
pass_over(void *context, size_t line, const char *reason)
{
	(void)context, (void)line, (void)reason;
}

static enum database_status
apply_silences(struct spool *spool, struct errand *errand)
{
	struct silences silences;
	if (silences_read(&silences, errand->line, strlen(errand->line), pass_over, NULL) < 0)
		return database_status_of(&spool->database, SQLITE_NOMEM);
	enum database_status status = releases_run(
		spool, &silences, errand->delivered, errand->realtime_ns, &errand->released);
	silences_fini(&silences);
	return status;
}

static enum database_status
do_errand(struct spool *spool, struct errand *errand)
{
	switch (errand->kind) {
	case ERRAND_OPEN:
		return open_spool(spool, errand);
	case ERRAND_REPLACE:
		return replace(spool, errand);
	case ERRAND_STORE:
		return store(spool, errand);
	case ERRAND_TRY:
		return spool_try(spool);
	case ERRAND_ACKNOWLEDGE:
		return acknowledge(spool, errand);
	case ERRAND_RETAIN:
		return retention_run(spool, errand->retention, errand->delivered,
			errand->realtime_ns, &errand->loss);
	case ERRAND_READ:
		return spool_read(spool, errand->number, errand->upto, errand->max_events,
			errand->max_bytes, &errand->batch);
	case ERRAND_MEASURE:
		return spool_count_owed(spool, errand->number, &errand->owed);
	case ERRAND_LOOK:
		return look(spool, errand);
	case ERRAND_FIND_SINK:
		return find_sink(spool, errand);
	case ERRAND_SET_POSITION:
		return spool_set_position(
			spool, errand->sink, errand->number, errand->count, errand->realtime_ns);
	case ERRAND_SET_DOUBT:
		return spool_set_doubt(spool, errand->sink, errand->number, errand->span_ns);
	case ERRAND_REFUSE:
		return spool_refuse(spool, &errand->letter);
	case ERRAND_UPDATE:
		return conditions_update(spool, errand->id, errand->value, errand->grown);
	case ERRAND_CONDITIONS:
		return conditions_collect(spool, &errand->range, &errand->conditions);
	case ERRAND_SILENCE:
		return apply_silences(spool, errand);
	case ERRAND_CLOSE:
		spool_fini(spool);
		return DATABASE_OK;
	}
	return DATABASE_OK;
}

/* Check whether another process has changed the spool's files. */
static enum database_status
look_after(struct spool *spool)
{
	/* store() handles a spool that was removed as a whole. */
	enum database_status status = database_is_removed(&spool->database)
					      ? DATABASE_OK
					      : database_look(&spool->database);
	if (status == DATABASE_HARMED)
		spool_close(spool);
	return status;
}

static void
work(void *context)
{
	struct desk *desk = context;
	struct spool *spool = &desk->spool;
	struct errand *errand = &desk->errand;
	bool ends = errand->kind == ERRAND_REPLACE || errand->kind == ERRAND_CLOSE;
	errand->status = spool_is_open(spool) && !ends ? look_after(spool) : DATABASE_OK;
	if (errand->status == DATABASE_OK)
		errand->status = do_errand(spool, errand);
}

/* --- for the caller --- */

struct desk *
desk_new(const char *path)
{
	struct desk *desk = calloc(1, sizeof *desk);
	if (desk == NULL)
		return NULL;
	spool_init(&desk->spool, path);
	desk->worker = worker_new();
	if (desk->worker == NULL) {
		free(desk);
		return NULL;
	}
	return desk;
}

void
errand_fini(struct errand *errand)
{
	char *const texts[] = {
		errand->id, errand->reason, errand->line, errand->value, errand->grown};
	for (size_t i = 0; i < ARRAY_COUNT(texts); i++)
		free(texts[i]);
	free(errand->lines);
	sources_fini(&errand->sources);
	sources_fini(&errand->acked);
	batch_fini(&errand->batch);
	condition_list_fini(&errand->conditions);
	json_decref(errand->acks);
	json_decref(errand->arrived);
	json_decref(errand->standing);
	json_decref(errand->released);
	*errand = (struct errand){.kind = errand->kind, .status = errand->status};
}

struct errand *
desk_errand(struct desk *desk, enum errand_kind kind)
{
	errand_fini(&desk->errand);
	desk->errand.kind = kind;
	return &desk->errand;
}

void
desk_begin(struct desk *desk)
{
	worker_begin(desk->worker, work, desk);
}

bool
desk_free(struct desk *desk, uint64_t within_ns)
{
	if (desk == NULL)
		return true;
	if (!worker_wait(desk->worker, within_ns))
		return false;
	desk_errand(desk, ERRAND_CLOSE);
	desk_begin(desk);
	if (!worker_wait(desk->worker, within_ns))
		return false;
	worker_free(desk->worker);
	free(desk);
	return true;
}
