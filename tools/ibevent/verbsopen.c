/* verbsopen - opens and closes libibverbs contexts in threads of their own. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "verbsopen.h"

#include "notice.h"
#include "thread.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The side that changes BUSY decides who frees the struct: the owner after DONE, set by the thread;
 * the thread after ABANDONED, set by the owner. */
enum state { BUSY, DONE, ABANDONED };

struct verbsopen {
	char node[NOTICE_DEVICE_SIZE];
	int wake_fd;
	struct ibv_context *context;
	int error;
	_Atomic enum state state;
};

/* Start a detached thread. Return 0, or an errno. */
static int
start_thread(void *(*run)(void *), void *argument)
{
	pthread_t thread;
	int error = thread_start(&thread, NULL, 0, run, argument);
	if (error == 0)
		pthread_detach(thread);
	return error;
}

static void
open_context(struct verbsopen *opening)
{
	int count;
	struct ibv_device **devices = ibv_get_device_list(&count);
	opening->error = devices == NULL ? errno : ENODEV;
	for (int i = 0; devices != NULL && i < count && opening->context == NULL; i++) {
		if (strcmp(devices[i]->dev_name, opening->node) != 0)
			continue;
		errno = EIO;
		opening->context = ibv_open_device(devices[i]);
		opening->error = errno;
	}
	if (devices != NULL)
		ibv_free_device_list(devices);
}

static void *
run_opening(void *argument)
{
	struct verbsopen *opening = argument;
	enum state state = BUSY;
	const uint64_t one = 1;
	open_context(opening);
	int wake_fd = opening->wake_fd;
	if (atomic_compare_exchange_strong(&opening->state, &state, DONE)) {
		ssize_t ignored = write(wake_fd, &one, sizeof one);
		(void)ignored;
		return NULL;
	}
	if (opening->context != NULL)
		ibv_close_device(opening->context);
	free(opening);
	return NULL;
}

struct verbsopen *
verbsopen_start(const char *node, int wake_fd)
{
	struct verbsopen *opening = calloc(1, sizeof *opening);
	if (opening == NULL)
		return NULL;
	opening->wake_fd = wake_fd;
	notice_copy(opening->node, sizeof opening->node, node, strlen(node));
	int error = start_thread(run_opening, opening);
	if (error == 0)
		return opening;
	free(opening);
	errno = error;
	return NULL;
}

bool
verbsopen_collect(struct verbsopen *opening, struct ibv_context **context, int *error)
{
	if (atomic_load(&opening->state) != DONE)
		return false;
	*context = opening->context;
	*error = opening->error;
	free(opening);
	return true;
}

void
verbsopen_abandon(struct verbsopen *opening)
{
	enum state state = BUSY;
	if (atomic_compare_exchange_strong(&opening->state, &state, ABANDONED))
		return;
	if (opening->context != NULL)
		verbsopen_close(opening->context);
	free(opening);
}

static void *
run_closing(void *context)
{
	ibv_close_device(context);
	return NULL;
}

void
verbsopen_close(struct ibv_context *context)
{
	if (start_thread(run_closing, context) != 0)
		ibv_close_device(context);
}
