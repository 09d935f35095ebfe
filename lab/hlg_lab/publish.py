"""From a run of scripts/lab to the small files that the tables of the docs are made from."""
import json
from pathlib import Path

from . import compare, files, harm_tables, report_fit, report_kl, settings, slopes
from .files import COUNT, NULL, TEXT
from .settings import arm, grouped, is_default, is_knot, least, measured_costs

AS_THEY_ARE = {"harm-bands.csv": harm_tables.BAND_COLUMNS, "slopes.csv": slopes.COLUMNS,
               "coordinates.csv": harm_tables.COORDINATE_COLUMNS, "compare.csv": compare.COLUMNS}
LIMIT = 1_500_000  # bytes of all files
FILE = {"file": TEXT, "sha256": TEXT}
SIZES = dict.fromkeys(("seed", "lanes", "threads"), COUNT)
RECORD = {"program": TEXT, "model": {**FILE, "n_vocab": COUNT}, "prompts": FILE,
          "rows": COUNT, **SIZES}
HARM = {"program": TEXT, "model": FILE,
        "judge": lambda header: NULL if header["judge"] is None else FILE, "prompts": FILE,
        **dict.fromkeys(("prefixes", "tokens"), COUNT), **SIZES}


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
        record = files.read_header(folder / "record.json", RECORD)
        models.append({**described(record, RECORD), "vocabulary": record["model"]["n_vocab"]})
        if (folder / "harm/harm.json").exists():
            harms.append(described(files.read_header(folder / "harm/harm.json", HARM), HARM))
    return json.dumps({"models": models, "harm": harms}, indent=2) + "\n"


def kl(folders):
    """All models in one table: over all kinds of prompt together, and the default curves also by
    kind."""
    rows = [row for folder in folders
            for row in files.read_csv(folder / "kl.csv", report_kl.COLUMNS)
            if row["kind"] == "all" or row["knob"] == "pivot"]
    names = list(dict.fromkeys(name for row in rows for name in row))
    for row in rows:
        files.check_fields(row, names, "kl.csv of %s" % row["model"])
    return files.csv_text(names, rows)


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


def checked(run):
    """The texts of the files that are published as they are."""
    for name, columns in AS_THEY_ARE.items():
        files.read_csv(run / name, columns)
    report_fit.read(run / "fit.json")
    return {name: files.read_text(run / name, newline="") for name in (*AS_THEY_ARE, "fit.json")}


def publish(run, out):
    run, folders = Path(run), recordings(run)
    texts = {"runs.json": runs(folders), "kl.csv": kl(folders),
             "sweep.csv": sweep(run / "sweep.csv"), **checked(run)}
    size = sum(len(text.encode()) for text in texts.values())
    if size > LIMIT:
        raise files.Failure("%s: %d bytes to publish, over %d" % (run, size, LIMIT))
    files.write_texts(out, texts)
