"""From a run of scripts/lab to the small files that the tables of the docs are made from."""
import json
from pathlib import Path

from . import files, report_kl, settings
from .settings import arm, grouped, is_default, is_knot, least, measured_costs

AS_THEY_ARE = ("harm-bands.csv", "coordinates.csv", "slopes.csv", "fit.json", "compare.csv")
LIMIT = 1_500_000  # bytes of all files
RECORD = ("program", "model", "prompts", "rows", "seed", "lanes", "threads")
HARM = ("program", "model", "judge", "prompts", "prefixes", "tokens", "seed", "lanes", "threads")


def recordings(run):
    """The folders of the models."""
    folders = sorted(path.parent for path in Path(run).glob("*/record.json"))
    if not folders:
        raise files.Failure("%s: no folder with a record.json" % run)
    return folders


def described(header, names):
    """What somebody needs to make the same files: names of models, hashes, seeds, sizes."""
    found = {name: header[name] for name in names}
    found.update(model=Path(header["model"]["file"]).stem, sha256=header["model"]["sha256"],
                 prompts=header["prompts"]["sha256"])
    if header.get("judge"):
        found["judge"] = {"model": Path(header["judge"]["file"]).stem,
                          "sha256": header["judge"]["sha256"]}
    return found


def runs(folders):
    models, harms = [], []
    for folder in folders:
        record = files.read_object(folder / "record.json", RECORD)
        models.append({**described(record, RECORD), "vocabulary": record["model"]["n_vocab"]})
        if (folder / "harm/harm.json").exists():
            harms.append(described(files.read_object(folder / "harm/harm.json", HARM), HARM))
    return json.dumps({"models": models, "harm": harms}, indent=2) + "\n"


def kl(folders):
    """All models in one table: over all kinds of prompt together, and the default curves also by
    kind."""
    rows = [row for folder in folders for row in files.read_csv(folder / "kl.csv", report_kl.NEEDED)
            if row["kind"] == "all" or row["knob"] == "pivot"]
    return files.csv_text(list(rows[0]), rows)


def kept(rows):
    """Of one arm and pivot at one entropy: the settings of least cost, the defaults, and those
    that show how the knots are coupled."""
    best = [least(rows, cost) for cost in settings.KEPT if cost in measured_costs(rows)]
    return [row for row in rows if is_default(row) or is_knot(row) or row in best]


def sweep(path):
    """Without the masses by band, which compare.csv has used."""
    tried = grouped(settings.read(path), lambda row: (row["model"], row["entropy_share"], arm(row),
                                                      row["pivot"]))
    return files.csv_text(settings.COLUMNS, [row for rows in tried.values() for row in kept(rows)])


def publish(run, out):
    run, folders = Path(run), recordings(run)
    texts = {"runs.json": runs(folders), "kl.csv": kl(folders),
             "sweep.csv": sweep(run / "sweep.csv"),
             **{name: files.read_text(run / name) for name in AS_THEY_ARE}}
    size = sum(len(text.encode()) for text in texts.values())
    if size > LIMIT:
        raise files.Failure("%s: %d bytes to publish, over %d" % (run, size, LIMIT))
    for name, text in texts.items():
        files.write_text(Path(out) / name, text)
