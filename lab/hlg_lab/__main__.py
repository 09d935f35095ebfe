"""The commands of the lab."""
import argparse
import os
import sys
from pathlib import Path

from . import compare, files, fill, harm, harm_tables, publish, report, slopes

SCORES = "scores.jsonl"
# The tables beside harm.csv: columns, and what makes the rows from the lines of one model.
TABLES = {"harm-bands.csv": (harm_tables.BAND_COLUMNS, harm_tables.band_rows),
          "coordinates.csv": (harm_tables.COORDINATE_COLUMNS, harm_tables.coordinate_rows),
          "slopes.csv": (slopes.COLUMNS, slopes.slope_rows)}


def score_command(args):
    out = Path(args.out)
    if not os.path.basename(args.out) or out.is_dir() or out.name in (SCORES, *TABLES):
        raise files.Failure("--out %s: give a file's name, but not of one written beside it: %s" % (
            files.shown(args.out), ", ".join((SCORES, *TABLES))))
    prompts = harm.read_prompts(args.prompts)
    models = [harm.scored_lines(texts, prompts, args.model) for texts in args.texts]
    names = [lines[0]["model"] for lines in models]
    if len(set(names)) < len(names):
        raise files.Failure("two files of texts are of one model: %s" % ", ".join(names))
    texts = {name: files.csv_text(columns, [row for lines in models for row in rows_of(lines)])
             for name, (columns, rows_of) in {out.name: (harm.COLUMNS, harm.table),
                                              **TABLES}.items()}
    texts[SCORES] = files.jsonl_text(line for lines in models for line in lines)
    files.write_texts(out.parent, texts)


def compare_command(args):
    files.write_text(args.out, compare.table(args.sweep, args.scores))


def fill_command(args):
    (fill.check if args.check else fill.fill)(args.document, args.results)


def publish_command(args):
    publish.publish(args.run_folder, args.out)


def report_command(args):
    report.build(args.folders).write(args.out)


def parser():
    top = argparse.ArgumentParser(prog="hlg_lab", description=__doc__)
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    score = commands.add_parser("score", help="texts of hlg harm to harm.csv and scores.jsonl")
    score.add_argument("texts", nargs="+", metavar="TEXTS.jsonl")
    score.add_argument("--prompts", required=True, metavar="FILE",
                       help="the prompts that the texts come from")
    score.add_argument("--out", required=True, metavar="HARM.csv",
                       help="scores.jsonl, harm-bands.csv, coordinates.csv and slopes.csv "
                            "are written beside it")
    score.add_argument("--model", metavar="NAME",
                       help="default: the file named by harm.json or record.json beside the texts")
    score.set_defaults(run=score_command)
    compare_ = commands.add_parser(
        "compare", help="settings chosen by half of the texts, judged by the other half")
    compare_.add_argument("sweep", metavar="SWEEP.csv", help="of hlg sweep --harm")
    compare_.add_argument("scores", metavar="SCORES.jsonl", help="beside its harm.csv")
    compare_.add_argument("--out", metavar="COMPARE.csv", default=files.STDOUT,
                          help="default: -, standard output")
    compare_.set_defaults(run=compare_command)
    report_ = commands.add_parser("report", help="Markdown, SVG and one HTML file")
    report_.add_argument("folders", nargs="+", metavar="DIR",
                         help="with any of kl.csv, scores.jsonl, fit.json, sweep.csv and "
                              "compare.csv")
    report_.add_argument("--out", required=True, metavar="DIR")
    report_.set_defaults(run=report_command)
    publish_ = commands.add_parser("publish", help="a run's results as small files")
    publish_.add_argument("run_folder", metavar="RUN", help="the folder of scripts/lab")
    publish_.add_argument("--out", required=True, metavar="DIR")
    publish_.set_defaults(run=publish_command)
    fill_ = commands.add_parser("fill", help="tables into a Markdown file, plots beside results")
    fill_.add_argument("document", metavar="DOC.md")
    fill_.add_argument("--results", required=True, metavar="DIR", help="what publish wrote")
    fill_.add_argument("--check", action="store_true",
                       help="change nothing; fail where a table or plot would change")
    fill_.set_defaults(run=fill_command)
    return top


def main(words=None):
    args = parser().parse_args(words)
    try:
        args.run(args)
    except files.Failure as failure:
        print("hlg: %s" % " ".join(str(failure).splitlines()), file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
