"""A report: headings, sentences, tables and plots, written as Markdown and as one HTML file."""
import base64
import html

from . import files

DUST = 1e-12
STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem;
       color: #1a1a1a; background: #fff; }
div.table { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 13px; }
th, td { padding: .2rem .7rem; text-align: right; border-bottom: 1px solid #ddd;
         white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
img { max-width: 100%; height: auto; }
"""


def cell(value):
    """Four digits say all that the errors leave, and what is below 0 by rounding alone is 0."""
    if value is None:
        return ""
    if isinstance(value, float) and -DUST < value <= 0:
        return "0"
    return "%.4g" % value if isinstance(value, float) else str(value)


def span(low, high):
    """An interval, or nothing."""
    if not (isinstance(low, float) and isinstance(high, float)):
        return None
    return "%.4f to %.4f" % (round(low, 4) + 0.0, round(high, 4) + 0.0)  # no -0


def markdown_table(columns, rows):
    """The columns are names; a row is as many values."""
    lines = [columns, ["---", *["---:"] * (len(columns) - 1)],
             *([cell(value) for value in row] for row in rows)]
    return "\n".join("| %s |" % " | ".join(line) for line in lines)


class Page:
    def __init__(self, title):
        self.blocks = []  # (Markdown, HTML)
        self.plots = {}   # name -> SVG
        self.title = title
        self.heading(title, level=1)

    def heading(self, text, level=2):
        self.blocks.append(("#" * level + " " + text,
                            "<h%d>%s</h%d>" % (level, html.escape(text), level)))

    def text(self, text):
        self.blocks.append((text, "<p>%s</p>" % html.escape(text)))

    def table(self, columns, rows):
        def line_of(tag, values):
            tags = "".join("<%s>%s</%s>" % (tag, html.escape(cell(v)), tag) for v in values)
            return "<tr>%s</tr>" % tags
        body = "\n".join(line_of("td", row) for row in rows)
        self.blocks.append((
            markdown_table(columns, rows), '<div class="table"><table>\n%s\n%s\n</table></div>' % (
                line_of("th", columns), body)))

    def plot(self, name, text, svg):
        """The text says in words what the plot shows."""
        self.plots[name] = svg
        data = base64.b64encode(svg.encode()).decode()
        self.blocks.append(("![%s](plots/%s.svg)" % (text, name),
                            '<img alt="%s" src="data:image/svg+xml;base64,%s">' % (
                                html.escape(text), data)))

    def markdown(self):
        return "\n\n".join(markdown for markdown, _ in self.blocks) + "\n"

    def html(self):
        return ('<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
                "<title>%s</title>\n<style>%s</style></head><body>\n%s\n</body></html>\n" % (
                    html.escape(self.title), STYLE, "\n".join(text for _, text in self.blocks)))

    def write(self, folder):
        plots = {"plots/%s.svg" % name: svg for name, svg in self.plots.items()}
        files.write_texts(folder, {**plots, "report.md": self.markdown(),
                                   "report.html": self.html()})
