/* answers - what is answered to whom: /metrics, /healthz, /readyz and an index, made from a view of the service. */
#include "answers.h"

#include "scrape.h"
#include "textbox.h"
#include "version.h"

#include <errno.h>
#include <string.h>

#define PLAIN "text/plain; charset=utf-8"

int
answers_init(struct answers *answers, uint64_t started_realtime_ns)
{
	*answers = (struct answers){.scrape = scrape_new()};
	if (answers->scrape == NULL)
		return -1;
	if (self_init(&answers->self, started_realtime_ns) == 0)
		return 0;
	int saved_errno = errno;
	scrape_free(answers->scrape);
	answers->scrape = NULL;
	errno = saved_errno;
	return -1;
}

void
answers_fini(struct answers *answers)
{
	scrape_free(answers->scrape);
	answers->scrape = NULL;
	self_fini(&answers->self);
}

/* Says what is in `text`. */
static void
say(struct answers *answers, unsigned status, struct httpd_answer *out)
{
	*out = (struct httpd_answer){
		.status = status,
		.type = PLAIN,
		.text = answers->text,
		.length = strlen(answers->text),
	};
}

static void
give_metrics(struct answers *answers, const struct service_view *view, struct httpd_answer *out)
{
	struct textbox box;
	self_take(&answers->self, view);
	*out = (struct httpd_answer){.status = 200, .type = SCRAPE_TYPE};
	out->text = scrape_text(answers->scrape, view, &answers->self.page, &out->length);
	if (out->text != NULL)
		return;
	textbox_init(&box, answers->text, sizeof answers->text);
	textbox_add(&box, "the numbers cannot be shown: %s\n",
		errno == EFBIG ? "there are too many" : strerror(errno));
	say(answers, 500, out);
}

static void
give_health(struct answers *answers, bool is_good, struct httpd_answer *out)
{
	if (is_good)
		strcpy(answers->text, "ok\n");
	say(answers, is_good ? 200 : 503, out);
}

static void
give_index(struct answers *answers, struct httpd_answer *out)
{
	struct textbox box;
	textbox_init(&box, answers->text, sizeof answers->text);
	textbox_add(&box,
		"nic-health-monitor " NHM_VERSION "\n\n"
		"/metrics  numbers about the NICs and about the service, for Prometheus\n"
		"/healthz  200 while every stage is up and scans are evaluated, else 503 and why not\n"
		"/readyz   200 once a scan has been evaluated, else 503 and why not\n");
	say(answers, 200, out);
}

void
answers_give(struct answers *answers, const struct service_view *view, const char *path,
	struct httpd_answer *out)
{
	char *text = answers->text;
	if (strcmp(path, "/metrics") == 0) {
		give_metrics(answers, view, out);
	} else if (strcmp(path, "/healthz") == 0) {
		give_health(answers, health_is_live(view, text, sizeof answers->text), out);
	} else if (strcmp(path, "/readyz") == 0) {
		give_health(answers, health_is_ready(view, text, sizeof answers->text), out);
	} else if (strcmp(path, "/") == 0) {
		give_index(answers, out);
	} else {
		strcpy(text, "there is /metrics, /healthz and /readyz\n");
		say(answers, 404, out);
	}
}
