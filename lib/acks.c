/* acks - the file in which emit says what it has stored. */
#include "acks.h"

#include "atomfile.h"
#include "rec.h"

#include <errno.h>
#include <stdlib.h>

json_t *
acks_read_new(const char *path)
{
	size_t length;
	char *text = atomfile_read_new(path, ACKS_MAX_BYTES, &length);
	if (text == NULL)
		return NULL;

	json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, NULL);
	json_t *acks = json_incref(json_object_get(root, "acks"));
	json_int_t version = json_integer_value(json_object_get(root, "version"));
	json_decref(root);
	free(text);
	if (version == ACKS_VERSION && json_is_object(acks))
		return acks;
	json_decref(acks);
	errno = EBADMSG;
	return NULL;
}

uint64_t
acks_seq(const json_t *acks, const char *source)
{
	uint64_t seq = 0;
	return rec_u64(json_object_get(acks, source), &seq) == REC_OK ? seq : 0;
}
