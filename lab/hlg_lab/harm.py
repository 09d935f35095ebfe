"""From the texts of `hlg harm` to scores.jsonl, a line a text, and to harm.csv, the harm curve."""
import json
from pathlib import Path

import numpy as np

from . import files, score, statistics

COORDINATES = ("z_top", "logprob", "z_entropy", "log_rank")
NATURAL = "natural"  # in the column of the coordinate: the control, ordinary draws
CONTROL = -1         # its band in the texts
TEXT_FIELDS = ("prefix", "prompt", "kind", "band", "z_top", "logprob", "z_entropy", "rank",
               "forced_text", "before", "text", "ended")
COLUMNS = ("model", "kind", "coordinate", "band", "harm", "se", "n")
HEADERS = ("harm.json", "record.json")  # beside the texts; they name the model


def model_of(texts):
    """The name of the model's file, without its ending."""
    for name in HEADERS:
        path = Path(texts).with_name(name)
        if path.exists():
            return Path(files.read_object(path, ("model",))["model"]["file"]).stem
    raise files.Failure("%s: no %s beside it: give --model NAME" % (texts, " or ".join(HEADERS)))


def scored_line(model, line, prompts):
    if line["prompt"] not in prompts:
        raise files.Failure("no prompt %s in the file of prompts" % line["prompt"])
    scored = {"model": model, **{name: line[name] for name in ("prefix", "prompt", "kind", "band")}}
    scored.update({name: line[name] for name in COORDINATES if name in line})
    # Like the others, it is 0 for the top token and falls as tokens get less likely.
    scored["log_rank"] = round(-float(np.log1p(line["rank"])), 6)
    return {**scored, **score.scores(line, prompts[line["prompt"]])}


def scored_lines(texts, prompts, model=None):
    lines = files.read_jsonl(texts, TEXT_FIELDS)
    if not lines:
        raise files.Failure("%s: no texts" % texts)
    model = model or model_of(texts)
    return [scored_line(model, line, prompts) for line in lines]


def read_prompts(path):
    return {prompt["id"]: prompt for prompt in files.read_jsonl(path, ("id", "kind", "text"))}


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


def write(lines_of_models, out):
    """harm.csv at `out`, and scores.jsonl beside it."""
    lines = [line for lines in lines_of_models for line in lines]
    rows = [row for lines in lines_of_models for row in table(lines)]
    files.write_text(out, files.csv_text(COLUMNS, rows))
    files.write_text(Path(out).with_name("scores.jsonl"),
                     "".join(json.dumps(line) + "\n" for line in lines))
