/* historyoptions - what of a spool is to be shown or sent again, from the command line. */
#include "history.h"

#include "diag.h"
#include "opt.h"
#include "when.h"

#include <string.h>

static const char *
take_format(struct history_options *options, const char *value)
{
	options->has_format = true;
	options->json = strcmp(value, "json") == 0;
	return options->json || strcmp(value, "table") == 0 ? NULL : "table or json is expected";
}

const char *
history_option_take(struct history_options *options, enum history_option option, const char *value)
{
	switch (option) {
	case HISTORY_EVENTS:
		options->events = true;
		return NULL;
	case HISTORY_STANDING:
		options->standing = true;
		return NULL;
	case HISTORY_DEAD_LETTERS:
		options->dead_letters = true;
		return NULL;
	case HISTORY_REPLAY:
		options->replay = true;
		return NULL;
	case HISTORY_SINCE:
		options->has_since = true;
		return when_parse(value, options->now_ns, &options->since_ns);
	case HISTORY_DEVICE:
		options->device = value;
		return *value != '\0' ? NULL : "a name is missing";
	case HISTORY_FATAL:
		options->fatal = true;
		return NULL;
	case HISTORY_FORMAT:
		return take_format(options, value);
	}
	return "unknown";
}

bool
history_is_shown(const struct history_options *options)
{
	return options->events || options->standing || options->dead_letters;
}

/* What does not go together, NULL when all does. */
static const char *
conflict(const struct history_options *options, bool has_ids)
{
	bool filters = options->has_since || options->device != NULL || options->fatal;
	bool shows = history_is_shown(options);

	if (options->replay && shows)
		return "--replay sends events; --history, --standing and --dead-letters only show them";
	if (filters && !options->replay && !shows)
		return "--since, --device and --fatal belong to --history, --standing, "
		       "--dead-letters or --replay";
	if (options->has_format && !shows)
		return "--format belongs to --history, --standing or --dead-letters";
	/* What has stood for long must not be hidden by accident. */
	if (options->has_since && shows && !options->events && !options->dead_letters)
		return "--since belongs to --history, --dead-letters or --replay; --standing shows "
		       "what stands now, since whenever it does";
	if (options->replay && filters && has_ids)
		return "--replay takes ids, or --since, --device and --fatal, but not both";
	return NULL;
}

int
history_options_check(const struct history_options *options, char *const *operands)
{
	const char *reason = conflict(options, *operands != NULL);
	if (reason != NULL) {
		diag_error("%s (try '%s --help')", reason, diag_name());
		return EXIT_USAGE;
	}
	if (history_is_shown(options) && *operands != NULL)
		return opt_unexpected_operand(*operands);
	return 0;
}
