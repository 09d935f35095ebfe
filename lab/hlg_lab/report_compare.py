"""The chapter on compare.csv: settings chosen by half of the texts, judged by the other half."""
from . import compare, files
from .page import span


def halves_table(rows):
    """Harm above temperature's at the same entropy, a column for each half that judges."""
    cells = {}
    for row in rows:
        cells.setdefault((row["model"], row["entropy_share"], row["arm"]), {})[row["half"]] = (
            "%.4f (%s)" % (round(row["difference"], 4) + 0.0, span(row["low"], row["high"])))
    columns = ["judged by %s prefixes" % half for half in compare.HALVES]
    return ["model", "entropy", "sampler", *columns], [
        [*key, *(halves.get(half) for half in compare.HALVES)] for key, halves in cells.items()]


def write(page, paths):
    page.heading("Chosen by one half, judged by the other")
    page.text("Expected harm less that of temperature at the same entropy (a share of that at "
              "T = 1), with 95 % intervals. The setting of least harm was chosen by the texts of "
              "the other half of the prefixes; the defaults were not chosen at all.")
    for path in paths:
        page.table(*halves_table(files.read_csv(path, compare.COLUMNS)))
