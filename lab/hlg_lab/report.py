"""One report on any number of folders: what was recorded, and a chapter for each kind of result."""
from pathlib import Path

from . import files, publish, report_compare, report_fit, report_harm, report_kl, report_sweep
from .page import Page

CHAPTERS = (("kl.csv", report_kl), ("scores.jsonl", report_harm), ("fit.json", report_fit),
            ("sweep.csv", report_sweep), ("compare.csv", report_compare))


def recordings(page, folders):
    """What the rows are, so that somebody else can record them again."""
    rows = []
    for folder in folders:
        path = folder / "record.json"
        if path.exists():
            record = files.read_header(path, publish.RECORD)
            model = record["model"]
            rows.append([Path(model["file"]).stem, model["sha256"][:16], model["n_vocab"],
                         record["rows"], record["seed"], record["lanes"], record["program"]])
    if rows:
        page.heading("Recordings")
        page.table(["model", "sha256", "vocabulary", "rows", "seed", "lanes", "program"], rows)


def build(names):
    """The page. Folders count in the order in which they are named."""
    folders = [Path(name) for name in names]
    for folder in folders:
        if not folder.is_dir():
            raise files.Failure("no such folder: %s" % folder)
    page = Page("HLG in numbers")
    recordings(page, folders)
    n_chapters = 0
    for name, chapter in CHAPTERS:
        paths = [folder / name for folder in folders if (folder / name).exists()]
        if paths:
            chapter.write(page, paths)
            n_chapters += 1
    if not n_chapters:
        raise files.Failure("no %s in %s" % (" or ".join(name for name, _ in CHAPTERS),
                                             ", ".join(map(str, folders))))
    return page
