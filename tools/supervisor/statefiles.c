/* statefiles - the files that are kept beside the state file. */
#include "statefiles.h"

#include <string.h>

#define LOG_STATE_NAME "logmatch.json"
#define ACKS_NAME "acks.json"

/* `name` in the directory of `path`, which is `directory` bytes long. NULL, or why that will not do. */
static const char *
put_beside(char out[PATH_MAX], const char *path, size_t directory, const char *name)
{
	if (directory + strlen(name) >= PATH_MAX)
		return "too long";
	if (strcmp(path + directory, name) == 0)
		return "that is the name of a file of its own, beside it";
	memcpy(out, path, directory);
	strcpy(out + directory, name);
	return NULL;
}

const char *
statefiles_take(struct statefiles *files, struct service_options *service, const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t directory = slash != NULL ? (size_t)(slash + 1 - path) : 0;

	service->state_path = service->log_state_path = service->acks_path = NULL;
	if (*path == '\0')
		return NULL;
	const char *reason = put_beside(files->log_state, path, directory, LOG_STATE_NAME);
	if (reason == NULL)
		reason = put_beside(files->acks, path, directory, ACKS_NAME);
	if (reason != NULL)
		return reason;
	service->state_path = path;
	service->log_state_path = files->log_state;
	service->acks_path = files->acks;
	return NULL;
}
