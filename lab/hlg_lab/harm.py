"""From the texts of `hlg harm` to scores.jsonl, a line a text, and to harm.csv, the harm curve."""
from pathlib import Path

import numpy as np

from . import files, score, statistics
from .files import BOOLEAN, COUNT, LIST, NULL, NUMBER, TEXT, WHOLE, Kind, at_least, either

COORDINATES = ("z_top", "logprob", "z_entropy", "log_rank")
NATURAL = "natural"  # in the column of the coordinate: the control, ordinary draws
CONTROL = -1         # its band in the texts
ANSWERS = Kind("list of those", lambda value: LIST.holds(value) and all(
    either(TEXT, NUMBER).holds(one) for one in value))
PLACE = {"prefix": COUNT, "prompt": TEXT, "kind": TEXT,
         "band": at_least(-1, WHOLE)}
TEXT_FIELDS = {**PLACE, **dict.fromkeys(COORDINATES[:-1], NUMBER), "rank": COUNT,
               **dict.fromkeys(("forced_text", "before", "text"), TEXT), "ended": BOOLEAN,
               **dict.fromkeys((name + "?" for name in score.JUDGE_SCORES.values()),
                               either(NUMBER, NULL))}
SCORE_FIELDS = {"model": TEXT, **PLACE, **dict.fromkeys(COORDINATES, NUMBER),
                **dict.fromkeys((kind + "?" for kind in score.KINDS), either(NUMBER, NULL)),
                score.ANY: either(NUMBER, NULL)}
PROMPT_FIELDS = {"id": TEXT, "kind": TEXT, "text": TEXT, "chat?": BOOLEAN,
                 "answer?": either(TEXT, NUMBER, ANSWERS)}
COLUMNS = ("model", "kind", "coordinate", "band", "harm", "se", "n")
HEADERS = ("harm.json", "record.json")  # beside the texts; they name the model


def model_of(texts, name=None):
    """The name, or without one that of the model's file, without its ending."""
    for path in map(Path(texts).with_name, HEADERS):
        if path.exists():
            header = files.read_header(path, {"model": {"file": TEXT}})
            return name or Path(header["model"]["file"]).stem
    if name:
        return name
    raise files.Failure("%s: no %s beside it: give --model NAME" % (texts, " or ".join(HEADERS)))


def scored_line(model, line, prompts):
    scored = {"model": model, **{name: line[name] for name in ("prefix", "prompt", "kind", "band")}}
    scored.update({name: line[name] for name in COORDINATES if name in line})
    # Like the others, it is 0 for the top token and falls as tokens get less likely.
    scored["log_rank"] = round(-float(np.log1p(line["rank"])), 6)
    return {**scored, **score.scores(line, prompts[line["prompt"]])}


def scored_lines(texts, prompts, model=None):
    lines = files.read_jsonl(texts, TEXT_FIELDS, key=("prefix", "band"))
    model = model_of(texts, model)
    for line in lines:
        if line["prompt"] not in prompts:
            raise files.Failure("%s: prefix %d: no prompt %s in the file of prompts" % (
                texts, line["prefix"], files.shown(line["prompt"])))
    return [scored_line(model, line, prompts) for line in lines]


def read_prompts(path):
    return {prompt["id"]: prompt for prompt in files.read_jsonl(path, PROMPT_FIELDS, key=("id",))}


def read_scores(path):
    return files.read_jsonl(path, SCORE_FIELDS)


def column(lines, name):
    return np.array([line[name] for line in lines])


def groups_of(lines, coordinate):
    """The number of each line's group, likely tokens first.

    By z_top as the tokens were drawn, band by band; by another coordinate equally many a group.
    """
    bands, index = np.unique(column(lines, "band"), return_inverse=True)
    if coordinate == "z_top":
        return index
    order = np.argsort(np.argsort(-column(lines, coordinate), kind="stable"), kind="stable")
    return order * len(bands) // len(lines)


def curve(lines, kind, coordinate):
    """A row of harm.csv for each group: its centre, harm, standard error and size."""
    groups, values = groups_of(lines, coordinate), column(lines, kind)
    harm, repeats = statistics.group_means(values, column(lines, "prompt"), groups,
                                           groups.max() + 1)
    errors = statistics.group_errors(values, groups, harm, repeats)
    centres = np.bincount(groups, column(lines, coordinate)) / np.bincount(groups)
    return [dict(model=lines[0]["model"], kind=kind, coordinate=coordinate, band=float(centre),
                 harm=float(mean), se=float(error), n=int(n))
            for centre, mean, error, n in zip(centres, harm, errors, np.bincount(groups))]


def natural(lines, kind):
    """The control's row."""
    values, groups = column(lines, kind), np.zeros(len(lines), int)
    mean, repeats = statistics.group_means(values, column(lines, "prompt"), groups, 1)
    (error,) = statistics.group_errors(values, groups, mean, repeats)
    return dict(model=lines[0]["model"], kind=kind, coordinate=NATURAL, band=0.0,
                harm=float(mean[0]), se=float(error), n=len(lines))


def scored(lines, kind):
    """The lines for which this kind of harm makes sense."""
    return [line for line in lines if line.get(kind) is not None]


def forced(lines, kind):
    return [line for line in scored(lines, kind) if line["band"] != CONTROL]


def controls(lines, kind):
    return [line for line in scored(lines, kind) if line["band"] == CONTROL]


def table(lines):
    """All rows of harm.csv for the scored lines of one model."""
    rows = []
    for kind in score.KINDS:
        if control := controls(lines, kind):
            rows.append(natural(control, kind))
        if some := forced(lines, kind):
            rows += [row for coordinate in COORDINATES for row in curve(some, kind, coordinate)]
    return rows
