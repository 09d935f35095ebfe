"""The knob table of the program under test, and settings in the form of each place that takes them.

Settings are {key: value}: a value as in JSON.
"""

import json

from program import run_hlg

TABLE = {knob["key"]: knob for knob in json.loads(run_hlg("curve", "--json").stdout)["knobs"]}


def as_text(value):
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)


def flags(settings):
    return [word for k, v in settings.items() for word in (TABLE[k]["flag"], as_text(v))]


def environment(settings):
    return {TABLE[k]["env"]: as_text(v) for k, v in settings.items()}


def write_config(folder, settings):
    """A config file in a folder that takes the place of ~/.config or /etc."""
    (folder / "llama.cpp").mkdir(parents=True)
    lines = ["%s = %s\n" % (TABLE[k]["config"], as_text(v)) for k, v in settings.items()]
    (folder / "llama.cpp/config.ini").write_text("".join(lines))
