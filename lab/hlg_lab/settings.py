"""sweep.csv: settings of HLG and of its rivals, each brought to the same entropy."""
from . import files
from .files import CELL, EMPTY, NUMBER, TEXT, either, word

ALL = "all"  # in place of a model: the mean over models
TEMPERATURE = "temperature"  # the sampler without any other choice
KNOB = either(NUMBER, word("off"), EMPTY)
SETTING = {"temperature": NUMBER, "cut": CELL, "pivot": TEXT,
           "pivot_offset": KNOB, "width": KNOB, "shoulder": KNOB, "toe": KNOB, "toe_shape": TEXT}
COSTS = {"harm": "expected harm", "deep_tail": "deep tail", "near_greedy_loss": "near-greedy loss"}
KEPT = ("harm", "deep_tail")  # costs whose best settings are published
COLUMNS = {"model": TEXT, "sampler": TEXT, "entropy_share": NUMBER, "entropy": NUMBER,
           **SETTING, "rows": NUMBER, "near_greedy_rows": NUMBER, "top_lowered": NUMBER,
           "deep_tail": NUMBER, "near_greedy_loss": CELL,
           "harm": lambda row: NUMBER if row["harm_model"] else CELL,
           "harm_model": TEXT, "pareto": NUMBER}
DEFAULTS = {"pivot": "top", "pivot_offset": 6, "width": 4, "shoulder": 4, "toe": 6}


def read(path):
    rows = files.read_csv(path, COLUMNS)
    for model, some in grouped(rows, "model").items():
        for cost in COSTS:
            if len({row[cost] == "" for row in some}) > 1:
                raise files.Failure("%s: %s of model %s is empty in some of its lines" % (
                    path, cost, model))
    return rows


def arm(row):
    """The name under which settings compete: HLG's by toe shape, then the rivals."""
    return ("%s %s" % (row["sampler"], row["toe_shape"])).rstrip()


def grouped(rows, key):
    """Key of a row, or name of a column -> the rows, in the order of the first ones."""
    groups = {}
    for row in rows:
        groups.setdefault(key(row) if callable(key) else row[key], []).append(row)
    return groups


def is_default(row):
    return all(row[name] == value for name, value in DEFAULTS.items())


def is_knot(row):
    """At the model's own entropy, with all but offset, width and toe at their defaults."""
    return row["entropy_share"] == 1 and all(
        row[name] == DEFAULTS[name] for name in ("pivot", "shoulder")) and all(
        isinstance(row[name], float) for name in ("pivot_offset", "width"))


def measured_costs(rows):
    """Without a harm curve, or rows near greedy, a column is empty."""
    return [name for name in COSTS if isinstance(rows[0][name], float)]


def least(rows, cost):
    """The first of the rows with the lowest cost."""
    return min(rows, key=lambda row: row[cost])
