# SPDX-License-Identifier: Apache-2.0
"""A story played: the real ctreval, scan by scan, and what its receivers believe of it."""

import json
import os
import random
import re
from collections import Counter, defaultdict

from belief.audience import Audience
from belief.held import Owed, held
from belief.item import item_of

from .life import Life
from .node import COUNTERS, SECOND, Node, seconds
from .spool import Spool
from .story import devices_of
from .trouble import Trouble, Violation

# At the end of a story, once all is well: what waits for time to pass has an hour, and some scans.
_CALM = ((0, 5), (40, 3), (3700, 3))


class Player:
    """Plays one story in an empty directory. `flaw` gets each line before anybody else, and gives
    those that go on."""

    def __init__(self, story, command, directory, flaw, tell):
        self.story, self.command, self.directory, self.flaw, self.tell = (
            story,
            command,
            directory,
            flaw,
            tell,
        )
        setup = story.setup
        self.node = Node(devices_of(setup), setup.interval_s)
        self.state = os.path.join(directory, "state.json")
        self.spool = Spool(os.path.join(directory, "acks.json") if setup.acks else None)
        self.audiences = defaultdict(self._new_audience)  # name of the node -> its receivers
        self.unclear = set()  # names under which clears were lost with the state file
        self.delivered = 0  # stored events
        self.careful = setup.careful and not flaw.careless
        self.config = setup.configs[0]
        self.dies_at = 0
        self.life = None
        self.looks = 0
        self.spoilt = False
        flaw.begin(self)

    def play(self):
        """All of it. How often belief was compared with what stands."""
        try:
            for step in self.story.steps:
                self.tell(" ".join(map(str, step)))
                getattr(self, "_do_" + step[0])(*step[1:])
            self._end_well()
        finally:
            if self.life is not None:
                self.life.close()
        return self.looks

    # --- the node

    def _device(self, place):
        device = self.node.devices[place]
        device.changed()
        return device

    def _do_port(self, place, port, state):
        self._device(place).ports[port].state = state

    def _do_count(self, place, port, name, count):
        values, most = self._device(place).ports[port].values, COUNTERS[name][1]
        values[name] = min(values[name] + count, most) if most else values[name] + count

    def _do_full(self, place, port, name):
        self._device(place).ports[port].values[name] = COUNTERS[name][1]

    def _do_reset(self, place, port, name):
        values = self._device(place).ports[port].values
        values.update(dict.fromkeys([name] if name else values, 0))

    def _do_hide(self, place, port, name, hides):
        hidden = self._device(place).ports[port].hidden
        (hidden.add if hides else hidden.discard)(name)

    def _do_rate(self, place, port, rate):
        self._device(place).ports[port].rate = rate

    def _do_go(self, place, where):
        self._device(place).where = where

    def _do_return(self, place, anew):
        device = self._device(place)
        device.where = "listed"
        if anew:
            device.restart()

    def _do_break(self, place, error, sees_ports):
        device = self._device(place)
        device.error, device.sees_ports = error, sees_ports

    def _do_mend(self, place):
        self._device(place).error = None

    def _do_lose(self, place, port, lost):
        self._device(place).ports[port].listed = not lost

    def _do_rename(self, place, number):
        device, name = self._device(place), f"mlx5_{number}"
        # Names are unique: who has it gets the other.
        for other in self.node.devices:
            if other.name == name:
                other.name = device.name
                other.changed()
        device.name = name

    def _do_role(self, place, role):
        self._device(place).set_role(role)

    def _do_layer(self, place, port, layer):
        self._device(place).ports[port].layer = layer

    def _do_node(self, place, port, kind, there):
        device = self._device(place)
        if kind == "uverbs":
            device.uverbs = there
        else:
            device.ports[port].nodes[kind] = there

    def _do_nodes(self, listed):
        for device in self.node.devices:
            device.nodes_known = listed
            device.changed()

    def _do_class(self, listed):
        self.node.class_listed = listed

    def _do_clock(self, step_s):
        # No two moments are the same to the microsecond.
        self.node.wall_ns = max(0, self.node.wall_ns + step_s * SECOND) + 1000 * (
            self.node.scans + 1
        )

    def _do_node_name(self, number):
        # Only within a boot are reports taken along, and only those that are known.
        self._settle_name()
        state = self._read_state()
        if state and state["boot_id"] == self.node.boot_id and not Owed(state):
            self.node.name = f"gpu-{number}"

    def _do_reboot(self, keeps_state):
        self._keep_name()
        self.node.reboot()
        if not keeps_state:
            self._do_forget("gone")
            self.spool.loses_acks()
            self.spool.starts_anew()

    # --- the monitor

    def _do_stop(self):
        self._end_life()

    def _do_kill(self):
        if self.life is not None:
            self._take(self.life.kill())
            self._bury()

    def _do_dies(self, at):
        self.dies_at = at

    def _do_config(self, place):
        self._end_life()
        self.config = self.story.setup.configs[place]

    def _settle_name(self):
        """A name that only a stalled scan has had becomes that of a scan."""
        while "former_node" in (self._read_state() or {}):
            self._do_scan(1, ())

    def _keep_name(self):
        """End ctreval's life. The node keeps the name of its last scan: ctreval does not know the
        name of another boot, or one that was lost with the state file."""
        self._settle_name()
        self._end_life()
        state = self._read_state()
        self.node.name = state["node"] if state else self.node.name

    def _do_forget(self, how):
        self._keep_name()
        if not os.path.exists(self.state):
            return
        self.unclear |= self.audiences.keys() - {self.node.name}
        if how == "gone":
            os.unlink(self.state)
        else:
            with open(self.state, "r+", encoding="utf-8") as file:
                file.truncate(file.seek(0, os.SEEK_END) // 2)
            self.spoilt = True

    def _end_life(self):
        if self.life is not None:
            self._take(self.life.finish())
            self._bury()

    def _bury(self):
        self.life.close()
        self.life = None

    def _start(self):
        config = self.config
        settings = {
            **config.settings,
            "nicExclusionRegex": config.excluded,
            "nicInclusionRegexOverride": config.included,
        }
        path = os.path.join(self.directory, "config.yaml")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(settings, file)
        command = [
            *self.command,
            "--config",
            path,
            "--state",
            self.state,
            "--checks",
            ",".join(config.checks),
        ]
        if self.spool.path is not None:
            command += ["--acks", self.spool.path]
        self.node.set_scope(
            config.excluded and re.compile(config.excluded),
            config.included and re.compile(config.included),
        )
        self.life = Life(command, self.directory, self.dies_at)
        self.dies_at = 0

    # --- scans

    def _do_scan(self, more_s, lost):
        self._pass_time(self.story.setup.interval_s + more_s)
        self._feed(self.node.scan(lost))

    def _do_stall(self, in_flight_s):
        self._pass_time(in_flight_s)
        self._feed(self.node.stall(in_flight_s))

    def _pass_time(self, seconds_more):
        """At the end of it ctreval waits for a scan."""
        self.node.pass_time(seconds_more * SECOND)
        if self.life is None:
            self._start()

    def _feed(self, text):
        self.flaw.scan()
        lines, lives = self.life.feed(text)
        self._take(lines)
        if not lives:
            self.tell("    (ctreval was killed)")
            self._bury()

    def _take(self, lines):
        for line in self.flaw.lines(lines):
            self.spool.take(line)
        for event in self.spool.take_new():
            self.audiences[event["nodeName"]].store(event, seconds(event["generatedTimestamp"]))
            if " healthy after reboot on port " not in event["message"]:
                self.tell(f"    > {describe(event)}")

    # --- receivers

    def _do_acks(self):
        self.spool.acknowledge()

    def _do_receiver(self, seed):
        chance = random.Random(seed)
        if self.spool.path is not None:
            self.spool.dies(
                max(len(self.spool.events) - chance.choice((0, 1, 2, 5, 50)), self.delivered)
            )
            kept = Counter(event["nodeName"] for event in self.spool.events)
            for name, audience in self.audiences.items():
                audience.forget(kept[name], seconds)

    def _do_send(self, seed):
        self._send(seed)
        self._look()

    def _send(self, seed):
        for audience in self.audiences.values():
            audience.send(random.Random(seed), self.careful)
        self.delivered = len(self.spool.events)

    def _new_audience(self):
        return Audience(random.Random(self.story.seed), self._has_ports, self.flaw.courier)

    # --- belief and what stands

    def _look(self):
        """After a batch boundary at which everything that was written has been delivered."""
        state = self._read_state()
        if not state or "former_node" in state or self.spool.held:
            return
        if not self.spool.has_all_of(state["source"], state["seq"]):
            return
        self.looks += 1
        now, problems = self.node.wall_ns / SECOND, []
        for name in sorted({*self.audiences, state["node"]} - self.unclear):
            audience = self.audiences[name]
            if name == state["node"]:
                problems += audience.problems(state, (self.node.layer_of,), now)
            else:
                believed = sorted(audience.believed(now))
                problems += [f"{name} has what does not stand: {text}" for text in believed]
        if problems:
            raise Violation("\n".join(problems))

    def _read_state(self):
        """Return the content of the state file, or None."""
        try:
            with open(self.state, encoding="utf-8") as file:
                return json.load(file)
        except (FileNotFoundError, ValueError):
            return None  # spoilt by the story, and not read yet

    def _has_ports(self, _name):
        # Which device has had the name is not known here: in such a story it may have been any.
        return any(len(device.ports) > 1 for device in self.node.devices)

    # --- the end

    def _end_well(self):
        """Everything is mended, and time passes: in the end nothing stands, and nobody believes
        anything. What was forgotten with a state file that could not be used ends with the boot."""
        self.tell("all is well")
        self._do_config(0)
        self.dies_at = 0
        self.node.class_listed = True
        for device, (_, role, layers, *_) in zip(self.node.devices, self.story.setup.layout):
            device.set_role(role)
            for port, layer in zip(device.ports, layers):
                port.layer = layer
            device.restart()
        if self.spoilt:
            # In which boot that was, the scans before it say.
            self._do_scan(1, ())
            self._do_reboot(True)
        for more_s, count in _CALM:
            for _ in range(count):
                self._do_scan(more_s, ())
        self.spool.acknowledge()
        self._end_life()
        self._send(self.story.seed)
        looks = self.looks
        self._look()
        if self.looks == looks:
            raise Violation("not everything that was said has arrived")
        state = self._read_state()
        stand = held(state, self.node.layer_of)
        if stand or Owed(state):
            raise Violation(
                "\n".join(
                    ["all is well, and still stand:", *sorted(f"    {item}" for item in stand)]
                )
            )


def describe(event):
    """An event in one line."""
    item = item_of(event)
    text = str(item) if not event["isHealthy"] else "healthy " + str(item).split(" ", 1)[1]
    name = f"{event['source'][:4]}-{event['seq']}"
    return f"{name} {event['generatedTimestamp'][8:]} {text} \"{event['message']}\""
