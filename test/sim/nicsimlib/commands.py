# SPDX-License-Identifier: Apache-2.0
"""The table of commands: their arguments, the checks of these, and their effects.

prepare() turns words into an action without changing the node, so that a script is checked as a
whole before its first command. It takes the existing devices and ports from the platform.
"""

# The core of the module functools, which loads faster.
import _functools as functools

from . import chardev, devices, faults, forms, host, names, rename, values
from .errors import Missing, UsageError
from .node import Target
from .record import record
from .show import show

_LONGEST_DEVICE = 63  # IB_DEVICE_NAME_MAX is 64 with its NUL
_PRIORITY = 4  # warning, as most of what mlx5_core says


@record
class Command:
    """One row of the table below."""

    arguments: str
    help: str
    parse: callable  # (platform, words) -> action(node)
    foresee: callable = lambda platform, _words: platform  # the platform once it is done


def prepare(platform, name, words):
    """Return the action of a command line; raise UsageError or Missing if it is invalid."""
    command = COMMANDS.get(name)
    if command is None:
        raise UsageError(f"unknown command: {name}")
    try:
        return command.parse(platform, words)
    except _WrongNumber:
        expected = command.arguments or "no arguments"
        raise UsageError(f"{name}: expected {expected}") from None
    except (UsageError, Missing) as error:
        raise type(error)(f"{name}: {error}") from error


def foresee(platform, name, words):
    """Return the platform after that command, which prepare() has accepted."""
    return COMMANDS[name].foresee(platform, words)


class _WrongNumber(Exception):
    """Too few or too many arguments."""


def _target(platform, word, port):
    """Parse DEV, DEV/PORT or either, for `port` False, True or None."""
    device, slash, number = word.partition("/")
    if port is not None and port != bool(slash):
        raise UsageError(f"not a {'port' if port else 'device'}: {word}")
    nic = platform.nic(device)
    if nic is None:
        raise Missing(f"no such device: {device}")
    if not slash:
        return Target(nic, None)
    for candidate in nic.ports:
        if number == str(candidate.number):
            return Target(nic, candidate)
    raise Missing(f"no such port: {word}")


def _file(word):
    if not forms.is_file(word):
        raise UsageError(f"bad file name: {word!r}")
    return word


def _plain(action):
    """A command without arguments."""

    def parse(_platform, words):
        if words:
            raise _WrongNumber
        return action

    return parse


def _on_target(action, port=None):
    """A command on a device or port."""

    def parse(platform, words):
        if len(words) != 1:
            raise _WrongNumber
        return functools.partial(action, target=_target(platform, words[0], port))

    return parse


def _on_file(action):
    """A command on a file of a device or port."""

    def parse(platform, words):
        if len(words) != 2:
            raise _WrongNumber
        target = _target(platform, words[0], None)
        return functools.partial(action, target=target, name=_file(words[1]))

    return parse


def _parse_set(platform, words):
    if len(words) != 3:
        raise _WrongNumber
    target, name = _target(platform, words[0], None), _file(words[1])
    return functools.partial(values.set_value, target=target, name=name, value=words[2])


def _parse_add(platform, words):
    if len(words) != 3:
        raise _WrongNumber
    target, name = _target(platform, words[0], None), _file(words[1])
    if not forms.is_number(words[2]):
        raise UsageError(f"not a number: {words[2]!r}")
    return functools.partial(values.add, target=target, name=name, amount=int(words[2]))


def _parse_state(platform, words):
    if not 2 <= len(words) <= 4:
        raise _WrongNumber
    target = _target(platform, words[0], True)
    texts = {"state": _state(words[1], names.PORT_STATES)}
    if len(words) > 2:
        texts["phys_state"] = _state(words[2], names.PHYS_STATES)
    if len(words) > 3:
        if words[3] not in names.OPERSTATES:
            raise UsageError(f"no such operstate: {words[3]!r}")
        texts["operstate"] = words[3]
    return functools.partial(values.set_states, target=target, **texts)


def _parse_carrier(platform, words):
    if len(words) != 2:
        raise _WrongNumber
    target = _target(platform, words[0], True)
    if words[1] not in ("0", "1"):
        raise UsageError(f"neither 0 nor 1: {words[1]!r}")
    return functools.partial(values.carrier, target=target, value=words[1])


def _state(word, known):
    """Accept one of the kernel's names, or the raw text of the file."""
    if forms.is_number(word.partition(":")[0]) and ":" in word and "\n" not in word:
        return word
    if word not in known:
        raise UsageError(f"no such state: {word!r}")
    return f"{known[word]}: {word}"


def _parse_rename(platform, words):
    if len(words) != 2:
        raise _WrongNumber
    target = _target(platform, words[0], False)
    return functools.partial(rename.rename, target=target, name=_new_name(platform, words[1]))


def _new_name(platform, name):
    if not forms.is_name(name) or len(name) > _LONGEST_DEVICE:
        raise UsageError(f"bad device name: {name!r}")
    if platform.nic(name) is not None:
        raise UsageError(f"there is a device {name} already")
    return name


def _parse_smi(platform, words):
    if len(words) != 2:
        raise _WrongNumber
    name, parent = _new_name(platform, words[0]), _target(platform, words[1], False).nic
    if parent.parent is not None or not parent.planes:
        raise UsageError(f"{parent.device} is not a multi-plane NIC")
    return functools.partial(devices.add_smi, name=name, parent=parent.device)


def _parse_bond(platform, words):
    if len(words) != 3:
        raise _WrongNumber
    first, second = (_target(platform, word, False).nic for word in words[1:])
    if first.card != second.card or first.pci_address == second.pci_address:
        raise UsageError(f"not two functions of a card: {first.device} {second.device}")
    return functools.partial(
        devices.bond, name=_new_name(platform, words[0]), first=first, second=second
    )


def _parse_unbond(platform, words):
    if len(words) != 1:
        raise _WrongNumber
    nic = _target(platform, words[0], False).nic
    if not nic.bonded:
        raise UsageError(f"no bond: {nic.device}")
    return functools.partial(devices.unbond, nic=nic)


def _parse_chardev(platform, words):
    if not 2 <= len(words) <= 3:
        raise _WrongNumber
    action, kind = words[:2]
    if action not in chardev.ACTIONS:
        raise UsageError(f"neither {' nor '.join(chardev.ACTIONS)}: {action!r}")
    if kind not in (chardev.KINDS if len(words) == 3 else chardev.CLASSES):
        raise UsageError(f"no such kind: {kind!r}")
    target = _target(platform, words[2], kind != "uverbs") if len(words) == 3 else None
    return functools.partial(chardev.change, action=action, kind=kind, target=target)


def _parse_kmsg(_platform, words):
    priority = _PRIORITY
    if len(words) == 3 and "--priority" in words[:2]:
        position = words.index("--priority")
        number = words[position + 1]
        if not forms.is_number(number):
            raise UsageError(f"not a priority: {number!r}")
        priority = int(number)
        words = words[:position] + words[position + 2 :]
    if len(words) != 1:
        raise _WrongNumber
    return functools.partial(host.kmsg, text=words[0], priority=priority)


def _parse_route(_platform, words):
    if len(words) != 1:
        raise _WrongNumber
    if not forms.is_name(words[0]):
        raise UsageError(f"bad interface name: {words[0]!r}")
    return functools.partial(host.route, interface=None if words[0] == "none" else words[0])


COMMANDS = {
    "set": Command("DEV[/PORT] FILE VALUE", "give a file a value", _parse_set),
    "add": Command("DEV[/PORT] FILE N", "count a counter up by N", _parse_add),
    "reset": Command("DEV/PORT", "all counters to 0", _on_target(values.reset, True)),
    "state": Command(
        "DEV/PORT STATE [PHYS_STATE [OPERSTATE]]", "DOWN, LinkUp, ... or raw text", _parse_state
    ),
    "down": Command("DEV/PORT", "switched off by its administrator", _on_target(values.down, True)),
    "unplug": Command("DEV/PORT", "cable pulled", _on_target(values.unplug, True)),
    "up": Command("DEV/PORT", "active again", _on_target(values.up, True)),
    "carrier": Command("DEV/PORT 0|1", "the carrier of its interface", _parse_carrier),
    "remove": Command("DEV[/PORT]", "vanishes", _on_target(faults.remove)),
    "unregister": Command(
        "DEV", "its PCI function keeps the driver", _on_target(faults.unregister, False)
    ),
    "eject": Command("DEV", "its PCI function leaves the bus", _on_target(faults.eject, False)),
    "restore": Command("DEV[/PORT]", "comes back, freshly made", _on_target(faults.restore)),
    "strip": Command("DEV", "stays listed, without its ports", _on_target(faults.strip, False)),
    "dangle": Command("DEV", "class link without a target", _on_target(faults.dangle, False)),
    "rename": Command("DEV NAME", "called NAME from now on", _parse_rename, rename.foresee),
    "smi": Command(
        "NAME DEV", "an SMI device for a multi-plane NIC", _parse_smi, devices.foresee_smi
    ),
    "bond": Command(
        "NAME DEV DEV", "two functions, one RDMA device", _parse_bond, devices.foresee_bond
    ),
    "unbond": Command("NAME", "and two again", _parse_unbond, devices.foresee_unbond),
    "unreadable": Command("DEV[/PORT] FILE", "reading it fails", _on_file(faults.unreadable)),
    "hang": Command("DEV[/PORT] FILE", "opening it never returns", _on_file(faults.hang)),
    "mend": Command("DEV[/PORT] FILE", "end of unreadable or hang", _on_file(faults.mend)),
    "chardev": Command(
        "remove|restore KIND [DEV[/PORT]]", "uverbs, umad or issm, or their class", _parse_chardev
    ),
    "reboot": Command("", "as laid out, with a new boot id", _plain(faults.reboot)),
    "kmsg": Command("TEXT [--priority N]", "append a kernel message", _parse_kmsg),
    "route": Command("IFACE|none", "change the default route", _parse_route),
    "show": Command("", "print one line per port", _plain(show)),
}
