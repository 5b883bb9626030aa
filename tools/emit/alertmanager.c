/* alertmanager - what stands on this node, told to an Alertmanager. */
#include "alertmanager.h"

#include "alerts.h"
#include "array.h"

#include <stdlib.h>
#include <string.h>

/* Alerts, with texts of their own: those of a row end with it. */
struct collection {
	struct alert *alerts;
	char **texts; /* per alert one block, which its texts are in */
	size_t count, alerts_capacity, texts_capacity;
};

/* Copies the texts of an alert into one block, and lets it have them. NULL when memory ran out. */
static char *
own_texts_new(struct alert *alert)
{
	const char **const places[] = {&alert->node, &alert->check, &alert->device, &alert->port,
		&alert->code, &alert->message, &alert->action};
	const size_t count = sizeof places / sizeof *places;
	size_t bytes = 0;
	for (size_t i = 0; i < count; i++)
		bytes += strlen(*places[i]) + 1;
	char *block = malloc(bytes), *at = block;
	for (size_t i = 0; i < count && block != NULL; i++) {
		size_t size = strlen(*places[i]) + 1;
		*places[i] = memcpy(at, *places[i], size);
		at += size;
	}
	return block;
}

static int
take(void *context, const struct alert *alert)
{
	struct collection *all = context;
	struct alert *alerts =
		array_grown(all->alerts, all->count, &all->alerts_capacity, sizeof *alerts);
	if (alerts == NULL)
		return -1;
	all->alerts = alerts;
	char **texts = array_grown(all->texts, all->count, &all->texts_capacity, sizeof *texts);
	if (texts == NULL)
		return -1;
	all->texts = texts;
	alerts[all->count] = *alert;
	texts[all->count] = own_texts_new(&alerts[all->count]);
	if (texts[all->count] == NULL)
		return -1;
	all->count++;
	return 0;
}

static void
collection_fini(struct collection *all)
{
	for (size_t i = 0; i < all->count; i++)
		free(all->texts[i]);
	free(all->texts);
	free(all->alerts);
}

char *
alertmanager_encode_new(struct spool *spool, const struct conditions_range *range, size_t *length,
	enum database_status *status)
{
	struct collection all = {.count = 0};
	char *body = NULL;
	*status = conditions_alerts(spool, range, take, &all);
	if (*status == DATABASE_OK && all.count > 0) {
		body = alerts_encode_new(all.alerts, all.count, length);
		if (body == NULL)
			*status = database_judge(&spool->database, SQLITE_NOMEM);
	}
	collection_fini(&all);
	return body;
}
