/* acks - reads and writes the acks file, in which emit acknowledges stored events. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "acks.h"

#include "atomfile.h"
#include "rec.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Return a copy of `given` with only those members that are valid seqs, encoded as in records. NULL
 * when memory ran out. */
static json_t *
seqs_new(const json_t *given)
{
	json_t *seqs = json_object(), *value;
	const char *source;
	uint64_t seq;
	json_object_foreach ((json_t *)given, source, value) {
		if (rec_u64(value, &seq) != REC_OK)
			continue;
		if (json_object_set_new(seqs, source, rec_u64_new(seq)) < 0) {
			json_decref(seqs);
			return NULL;
		}
	}
	return seqs;
}

/* Return 0, or the errno value to report. */
static int
decode(struct acks *acks, const json_t *root)
{
	json_t *seqs = json_object_get(root, "acks");
	json_t *delivered = json_object_get(root, "delivered");
	const char *receiver = "";

	if (json_integer_value(json_object_get(root, "version")) != ACKS_VERSION ||
		!json_is_object(seqs) || (delivered != NULL && !json_is_object(delivered)) ||
		rec_get_string(root, "receiver", &receiver) == REC_WRONG_TYPE ||
		strlen(receiver) >= ACKS_RECEIVER_SIZE)
		return EBADMSG;
	acks->seqs = seqs_new(seqs);
	acks->delivered = delivered != NULL ? seqs_new(delivered) : json_incref(acks->seqs);
	if (acks->seqs == NULL || acks->delivered == NULL) {
		json_decref(acks->seqs);
		json_decref(acks->delivered);
		return ENOMEM;
	}
	acks->tells_delivered = delivered != NULL;
	acks->standing = json_incref(json_object_get(root, "standing"));
	strcpy(acks->receiver, receiver);
	return 0;
}

int
acks_read(struct acks *acks, const char *path)
{
	size_t length;
	char *text = atomfile_read_new(path, ACKS_MAX_BYTES, &length);
	if (text == NULL)
		return -1;

	json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, NULL);
	int error = decode(acks, root);
	json_decref(root);
	free(text);
	if (error == 0)
		return 0;
	errno = error;
	return -1;
}

void
acks_fini(struct acks *acks)
{
	json_decref(acks->seqs);
	json_decref(acks->delivered);
	json_decref(acks->standing);
	acks->seqs = acks->delivered = acks->standing = NULL;
}

void
acks_explain(const char *path, int error, char reason[OWNFILE_REASON_SIZE])
{
	if (error == EBADMSG)
		snprintf(reason, OWNFILE_REASON_SIZE, "not an acks file");
	else
		atomfile_explain(path, error, reason);
}

uint64_t
acks_seq(const json_t *seqs, const char *source)
{
	uint64_t seq = 0;
	return rec_u64(json_object_get(seqs, source), &seq) == REC_OK ? seq : 0;
}

int
acks_write(const char *path, const json_t *seqs, const json_t *delivered, const json_t *standing,
	const char *receiver)
{
	size_t length;
	json_t *root = json_pack("{s:i, s:O, s:O, s:s, s:O*}", "version", ACKS_VERSION, "acks",
		seqs, "delivered", delivered, "receiver", receiver, "standing", standing);
	char *text = root != NULL ? rec_dump_new(root, &length) : NULL;
	json_decref(root);
	if (text == NULL) {
		errno = ENOMEM;
		return -1;
	}
	int status = -1;
	if (length > ACKS_MAX_BYTES)
		errno = EFBIG;
	else
		status = atomfile_write(path, text, length, ATOMFILE_MODE);
	free(text);
	return status;
}
