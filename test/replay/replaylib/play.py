# SPDX-License-Identifier: Apache-2.0
"""A scenario played: time goes on, things happen to the node, the monitor looks at every
interval."""

import itertools

from nicsimlib import faults
from nicsimlib.errors import SimError

from . import scans, times
from .errors import BadScenario, Broken
from .monitor import Life, Monitor
from .scenario import Scenario
from .world import World


class Player:
    """Plays one scenario in an empty directory. Afterwards `lives` has all that the monitor saw and
    said."""

    def __init__(self, scenario: Scenario, programs: str, directory: str):
        self.scenario = scenario
        self.world = World(programs, directory, scenario.platform)
        self.monitor = Monitor(programs, directory, not scenario.filter)
        self.config, self.checks = scenario.config, scenario.checks
        self.interval_ns = scenario.interval_ns
        self.next_scan_ns = 0
        self.clock_ns = 0  # what the wall clock is ahead
        self.boot, self.booted_ns = 1, -times.BOOT_START_NS
        self.life = None
        self.losing = []  # changes that say what the next scan loses
        self.lives = []

    def play(self):
        """All of it."""
        scenario = self.scenario
        if scenario.state is not None and not scenario.filter:
            self.monitor.put_state(scenario.state.replace("THIS_BOOT", scans.boot_id(self.boot)))
        try:
            self._start()
            for moment in scenario.moments:
                self._scan_before(moment.at_ns)
                if self.life is not None and self.life.scans:
                    self.life.looks.append(len(self.life.scans))
                if moment.change is not None:
                    self._happen(moment.change, moment.at_ns)
            self._scan_before(scenario.until_ns + 1)
            self._end()
        finally:
            if self.world.topoclass is not None:
                self.world.topoclass.kill()
                self.world.topoclass.communicate()

    def _scan_before(self, end_ns):
        # What happens at the time of a scan happens before it.
        while self.next_scan_ns < end_ns:
            if self.life is not None:
                self._scan(self.next_scan_ns)
            self.next_scan_ns += self.interval_ns

    def _scan(self, now_ns):
        template = self.world.look()
        for change in self.losing:
            self._check_loss(change, template, now_ns)
        self.life.scans.append(
            scans.Scan(
                number=len(self.life.scans) + 1,
                at_ns=now_ns,
                wall_ns=now_ns + self.clock_ns,
                boot_ns=now_ns - self.booted_ns,
                boot=self.boot,
                interval_ns=self.interval_ns,
                template=template,
                lost=tuple(change.value for change in self.losing),
            )
        )
        self.losing = []

    def _check_loss(self, change, template, now_ns):
        try:
            template.lines((change.value,))
        except ValueError as error:
            raise BadScenario(
                f"{self.scenario.path}:{change.line}: at {times.show(now_ns)}: {error}"
            ) from error

    def _happen(self, change, now_ns):
        try:
            getattr(self, f"_do_{change.what}")(change, now_ns)
        except (SimError, ValueError) as error:
            raise BadScenario(
                f"{self.scenario.path}:{change.line}: at {times.show(now_ns)}: {error}"
            ) from error
        except Broken as error:
            raise Broken(f"at {times.show(now_ns)}: {error}") from error

    # --- the monitor

    def _start(self):
        if self.life is not None:
            raise ValueError("the monitor runs already")
        self.life = Life(self.config, self.checks)
        self.world.open_eyes(self.config)

    def _end(self, killed=False):
        if self.life is None:
            return
        self.life.killed = killed
        self.world.close_eyes()
        self.monitor.run(self.life)
        self.lives.append(self.life)
        self.life = None

    def _do_start(self, change, _now_ns):
        self.config = self.config if change.config is None else change.config
        self.checks = self.checks if change.checks is None else change.checks
        self._start()

    def _do_stop(self, _change, _now_ns):
        if self.life is None:
            raise ValueError("the monitor does not run")
        self._end()

    def _do_restart(self, change, now_ns):
        self._do_stop(change, now_ns)
        self._do_start(change, now_ns)

    def _do_kill(self, _change, _now_ns):
        if self.life is None:
            raise ValueError("the monitor does not run")
        self._end(killed=True)

    # --- the node

    def _do_nicsim(self, change, _now_ns):
        self.world.do(change.action)

    def _do_reboot(self, change, now_ns):
        self._end()
        if change.value is not None:
            self.world.become(change.value)
        else:
            self.world.do(faults.reboot)
        self.boot += 1
        self.booted_ns = now_ns - times.BOOT_AGAIN_NS
        self._start()

    def _do_hide(self, _change, _now_ns):
        self.world.show_class_directory(False)

    def _do_show(self, _change, _now_ns):
        self.world.show_class_directory(True)

    # --- time

    def _do_clock(self, change, _now_ns):
        self.clock_ns += change.value

    def _do_interval(self, change, now_ns):
        self.interval_ns = change.value
        self.next_scan_ns = now_ns

    def _do_lose(self, change, _now_ns):
        self.losing.append(change)

    @property
    def scans(self):
        """Every scan, in order."""
        return list(itertools.chain.from_iterable(life.scans for life in self.lives))
