/* tell - tells the whole story of a device. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tell.h"

#include "clock.h"
#include "judged.h"
#include "rolereason.h"
#include "scanrec.h"
#include "speech.h"
#include "stands.h"
#include "strbuf.h"

#include <inttypes.h>
#include <string.h>

/* --- the device --- */

/* Append the words and the text, unless the text is empty. */
static void
add(struct strbuf *line, const char *words, const char *text)
{
	if (text != NULL && *text != '\0')
		strbuf_addf(line, "%s%s", words, text);
}

static void
say_line(struct strbuf *line, struct speech *speech)
{
	if (line->is_short)
		speech->failed = true;
	else
		speech_say(speech, 0, "%s", line->bytes);
	strbuf_fini(line);
}

static void
tell_name(const struct story *story, const struct scanrec_device *device, struct speech *speech)
{
	struct strbuf line = {0};
	const char *node = NULL;
	rec_get_string(story->begin, "node", &node);
	strbuf_addf(&line, "%s", story->device);
	add(&line, " on ", node);
	add(&line, ", PCI ", device->pci);
	add(&line, ", ", device->hca_type);
	add(&line, ", firmware ", device->fw_ver);
	add(&line, ", driver ", device->driver);
	add(&line, " ", device->driver_version);
	add(&line, ", ", device->pci_link_speed);
	if (device->pci_link_width > 0)
		strbuf_addf(&line, " x%" PRId64, device->pci_link_width);
	say_line(&line, speech);
}

static void
tell_role(const struct scanrec_device *device, struct speech *speech)
{
	struct strbuf line = {0};
	const char *why =
		device->reason != NULL ? rolereason_words(device->reason, device->monitored) : NULL;
	if (device->reason == NULL) {
		strbuf_addf(
			&line, "Its role is unknown: this scan has not passed through topoclass.");
	} else {
		strbuf_addf(&line, device->role != NULL ? "Its role is %s" : "It has no role",
			device->role);
		strbuf_addf(&line, ", and it is %smonitored: %s.", device->monitored ? "" : "not ",
			why != NULL ? why : device->reason);
	}
	say_line(&line, speech);
}

static void
tell_port(const json_t *record, struct speech *speech)
{
	struct strbuf line = {0};
	struct rec_error ignored;
	struct scanrec_port port;
	if (!scanrec_decode_port(record, &port, &ignored))
		return;
	strbuf_addf(&line, "Port %" PRId64 ":", port.port);
	add(&line, " ", port.link_layer);
	add(&line, ", ", port.state);
	add(&line, ", ", port.phys_state);
	add(&line, ", ", port.rate);
	add(&line, ", interface ", port.netdev);
	add(&line, " ", port.operstate);
	say_line(&line, speech);
}

/* Restore a device that is in no scan from its decisions. Return its role then, or NULL. */
static const char *
recall(const struct story *story, struct scanrec_device *device)
{
	const char *role = NULL;
	const json_t *record;
	size_t i;
	json_array_foreach (story->decisions, i, record) {
		const char *about = NULL;
		rec_get_string(record, "about", &about);
		if (about == NULL || strcmp(about, "device") != 0)
			continue;
		rec_get_string(record, "pci", &device->pci);
		rec_get_string(record, "role", &role);
	}
	return role;
}

static void
tell_absent(const struct story *story, struct speech *speech)
{
	const char *error = NULL;
	rec_get_string(story->end, "error", &error);
	if (error != NULL)
		speech_say(speech, 0,
			"It is in the GPU metadata, but the RDMA devices cannot be listed: %s",
			error);
	else
		speech_say(speech, 0, "It is in the GPU metadata, but not on this node, and %s.",
			rec_has_text(story_topology(story, "lost"), story->device)
				? "it served the GPUs"
				: "whether it served the GPUs is unknown");
}

static void
tell_unbound(const struct story *story, const char *pci, struct speech *speech)
{
	struct scanrec_end end = {0};
	struct rec_error ignored;
	const char *driver = NULL, *place = "";
	if (story->end != NULL && scanrec_decode_end(story->end, &end, &ignored))
		scanrec_function(&end, pci, &driver);
	if (rec_has_text(story_topology(story, "lost"), pci))
		place = ", and it is in the place of a GPU NIC on the PCI bus";
	else if (json_integer_value(story_topology(story, "nics")) == 0)
		place = ", and whether it should have one is unknown";
	speech_say(speech, 0, "It has no %s%s.", driver != NULL ? "RDMA device" : "driver", place);
}

static void
tell_passed_on(const struct story *story, const char *pci, struct speech *speech)
{
	struct scanrec_end end;
	struct rec_error ignored;
	const char *driver;
	if (!scanrec_decode_end(story->end, &end, &ignored))
		return;
	scanrec_function(&end, pci, &driver);
	if (scanrec_is_passed_on(driver))
		speech_say(speech, 0,
			"It was passed to a virtual machine or a program: its PCI function has the "
			"driver %s.",
			driver);
}

/* Tell what the latest scan says about a device that it does not have. `pci`: its address. */
static void
tell_missing(const struct story *story, const char *pci, struct speech *speech)
{
	if (story_is_absent(story))
		tell_absent(story, speech);
	if (pci != NULL && story_lacks_device(story, pci))
		tell_unbound(story, pci, speech);
	if (pci != NULL && story->end != NULL)
		tell_passed_on(story, pci, speech);
	if (story_is_elsewhere(story))
		speech_say(speech, 0,
			"It is in another network namespace, such as that of a pod, where it is "
			"not monitored.");
}

static void
tell_unseen(const struct story *story, struct speech *speech)
{
	struct scanrec_device device = {.device = story->device};
	const char *role = recall(story, &device);
	tell_name(story, &device, speech);
	/* A scan may have the address of a NIC without a device. */
	if (!story_lacks_device(story, story->device))
		speech_say(speech, 0, "No scan of the input contains it.");
	tell_missing(story, device.pci != NULL ? device.pci : story->device, speech);
	if (*story->meant != '\0')
		speech_say(speech, 0, "It was %s: see nhm why %s.", story->meant, story->meant);
	if (role != NULL)
		speech_say(speech, 0, "Its role was %s when it was last seen.", role);
}

static void
tell_seen(const struct story *story, struct speech *speech)
{
	struct scanrec_device device;
	struct rec_error ignored;
	const json_t *record;
	size_t i;
	if (story->seen == NULL || !scanrec_decode_device(story->seen, &device, &ignored)) {
		tell_unseen(story, speech);
		return;
	}
	tell_name(story, &device, speech);
	tell_role(&device, speech);
	if (device.error != NULL)
		speech_say(speech, 0, "It cannot be read: %s", device.error);
	if (!story->listed) {
		tell_missing(story, device.pci, speech);
		speech_say(speech, 0,
			"The latest scan does not contain it; an earlier one showed these ports:");
	}
	json_array_foreach (story->ports, i, record)
		tell_port(record, speech);
}

/* --- the story --- */

int
tell(const struct story *story, unsigned columns, FILE *out)
{
	struct speech speech = {.out = out, .columns = columns};
	const char *ts = NULL;
	uint64_t now_ns = 0;
	rec_get_string(story->begin, "ts", &ts);
	if (ts != NULL)
		clock_parse(ts, &now_ns);
	tell_seen(story, &speech);
	judged_tell(story, &speech);
	stands_tell(story, now_ns, &speech);
	return speech.failed ? -1 : 0;
}
