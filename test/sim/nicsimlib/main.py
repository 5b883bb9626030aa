# SPDX-License-Identifier: Apache-2.0
"""The command line: its arguments, the commands create and run, the exit status.

Commands load modules that only they need: a test runs many commands, and loading takes most of the
time of one.
"""

# The core of the module signal, without its enumerations.
import _signal as signal
import sys

from . import commands, node
from .errors import SimError, UsageError

OWN_COMMANDS = {
    "create": ("PLATFORM.json", "lay the node out"),
    "run": ("SCRIPT [--fast]", "execute lines of TIME COMMAND ARG..."),
}


def help_text():
    """Return the text of --help."""
    lines = [
        "usage: nicsim NODE COMMAND ARG...",
        "       nicsim --generate N",
        "Keep a simulated node with RDMA NICs in the directory NODE.",
        "",
    ]
    rows = dict(OWN_COMMANDS)
    rows.update((name, row[:2]) for name, row in commands.COMMANDS.items())
    for name, (arguments, text) in rows.items():
        lines.append(f"  {f'{name} {arguments}':<46}{text}")
    lines += [
        "",
        "  --generate N                                  print a platform with N NICs",
        "  -h, --help                                    print this help",
        "",
        "FILE is counters/NAME, hw_counters/NAME, net/carrier_changes, net/statistics/NAME,",
        "state, rate or any other file of the port; of a plain DEV fw_ver and the like.",
        "TIME is 0s, 500ms, 1.5s, 2m from the start of the run; SCRIPT may be -.",
        "Exit status: 0 done, 64 usage, 65 bad data, 66 named thing missing, 74 system error.",
    ]
    return "\n".join(lines)


def main(words):
    """Carry out the command line."""
    if words[:1] in (["-h"], ["--help"]):
        print(help_text())
    elif words[:1] == ["--generate"]:
        generate(words[1:])
    elif words[:1] and words[0].startswith("-"):
        raise UsageError(f"unknown option: {words[0]} (see --help)")
    elif len(words) < 2:
        raise UsageError("expected NODE COMMAND ARG... (see --help)")
    else:
        execute(*words)


def generate(words):
    """Print a synthetic platform description."""
    from . import jsontext, synth  # pylint: disable=import-outside-toplevel

    if len(words) != 1:
        raise UsageError("--generate: expected N")
    if not (words[0].isascii() and words[0].isdecimal() and 1 <= int(words[0]) <= synth.MOST_NICS):
        raise UsageError(f"--generate: not a number from 1 to {synth.MOST_NICS}: {words[0]!r}")
    print(jsontext.encode(synth.describe(int(words[0])), indent=1))


def execute(root, name, *words):
    """Execute one command on the node in the directory `root`."""
    if name == "create":
        if len(words) != 1:
            raise UsageError("create: expected PLATFORM.json")
        node.create(root, words[0])
    elif name == "run":
        fast = "--fast" in words
        files = [word for word in words if word != "--fast"]
        if len(files) != 1:
            raise UsageError("run: expected SCRIPT [--fast]")
        from . import script  # pylint: disable=import-outside-toplevel

        script.run(node.load(root), files[0], fast)
    elif name not in commands.COMMANDS:
        raise UsageError(f"unknown command: {name} (see --help)")
    else:
        simulated = node.load(root)
        with simulated.lock():
            commands.prepare(simulated.platform, name, list(words))(simulated)


def run(words):
    """Carry out the command line and exit with its code."""
    # Die of SIGPIPE and SIGINT like any filter.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        main(words)
    except SimError as error:
        print(f"nicsim: {error}", file=sys.stderr)
        sys.exit(error.code)
    except OSError as error:
        print(f"nicsim: {error.filename or 'I/O'}: {error.strerror}", file=sys.stderr)
        sys.exit(74)
