"""The chapter on `hlg sweep`: HLG and its rivals, as many settings each, on recorded rows."""
from . import files, plots

SETTING = ("sampler", "temperature", "cut", "pivot", "pivot_offset", "width", "shoulder", "toe",
           "toe_shape")
COSTS = {"harm": "expected harm", "deep_tail": "deep tail", "near_greedy_loss": "near-greedy loss"}
NEEDED = ("model", *SETTING, "rows", "near_greedy_rows", "entropy_gain", "top_lowered", *COSTS,
          "harm_model", "pareto")
GAINS = (0.0, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0)  # nats over T = 1
LISTED = 40
STEPS = 50  # of a line
FLOOR = 1e-6  # of the deep tail in plots: what is cut off has none


def samplers(rows):
    """Names under which settings compete: HLG's by toe shape, then the rivals."""
    return list(dict.fromkeys(map(arm, rows)))


def arm(row):
    return "%s, %s" % (row["sampler"], row["toe_shape"]) if row["toe_shape"] else row["sampler"]


def measured_costs(rows):
    """Without a harm curve, or rows near greedy, a column is empty."""
    return [name for name in COSTS if isinstance(rows[0][name], float)]


def lowest(rows, name, cost, gain):
    """The least cost of a sampler's settings that gain at least so much entropy."""
    return min((row[cost] for row in rows if arm(row) == name and row["entropy_gain"] >= gain),
               default=None)


def matched_table(page, rows, cost):
    page.text("Lowest %s of the settings that gain at least so much entropy, nats; one that is low "
              "here need not be low in the others." % COSTS[cost])
    page.table(["sampler", *("%.4g" % gain for gain in GAINS)],
               [[name, *(lowest(rows, name, cost, gain) for gain in GAINS)]
                for name in samplers(rows)])


def cost_plot(rows, costs):
    """The same as the tables, as lines."""
    gains = [min(GAINS) + i * (max(GAINS) - min(GAINS)) / STEPS for i in range(STEPS + 1)]
    figure, panels = plots.panels(len(costs))
    for axes, cost in zip(panels, costs):
        series = []
        for name in samplers(rows):
            found = [(gain, lowest(rows, name, cost, gain)) for gain in gains]
            points = [(gain, value) for gain, value in found if value is not None]
            floor = FLOOR if cost == "deep_tail" else -float("inf")
            series.append((name, [gain for gain, _ in points],
                           [max(value, floor) for _, value in points], None))
        plots.draw_lines(axes, series, "entropy gained over T = 1, nats", COSTS[cost],
                         "y" if cost == "deep_tail" else "")
    return plots.svg_of(figure)


def counts_table(page, rows):
    page.text("Settings tried, and those that no other one beats.")
    page.table(["sampler", "settings", "not beaten"],
               [[name, sum(arm(row) == name for row in rows),
                 sum(arm(row) == name and row["pareto"] == 1 for row in rows)]
                for name in samplers(rows)])


def spread(rows, n):
    """At most n of the rows, evenly over their order."""
    return rows if len(rows) <= n else [rows[i * (len(rows) - 1) // (n - 1)] for i in range(n)]


def pareto_table(page, rows, costs):
    optimal = sorted((row for row in rows if row["pareto"] == 1
                      and min(GAINS) <= row["entropy_gain"] <= max(GAINS)),
                     key=lambda row: -row["entropy_gain"])
    shown = spread(optimal, LISTED)
    page.text("Settings that no other one beats and that gain %g to %g nats, most entropy first: "
              "%d of %d, evenly chosen." % (min(GAINS), max(GAINS), len(shown), len(optimal)))
    columns = [*SETTING, "entropy_gain", "top_lowered", *costs]
    page.table(columns, [[row[name] for name in columns] for row in shown])


def model_section(page, model, rows):
    costs = measured_costs(rows)
    page.heading(model, level=3)
    harm_model = rows[0]["harm_model"]
    page.text("%d rows, %d of them near greedy (top token at 0.99 or more). %s" % (
        rows[0]["rows"], rows[0]["near_greedy_rows"],
        "Harm curve: %s." % harm_model if harm_model else "No harm curve."))
    counts_table(page, rows)
    page.plot("sweep-" + model, "What entropy costs: the best setting of each sampler.",
              cost_plot(rows, costs))
    for cost in costs:
        matched_table(page, rows, cost)
    pareto_table(page, rows, costs)


def write(page, paths):
    page.heading("Settings against each other")
    for path in paths:
        rows = files.read_csv(path, NEEDED)
        for model in dict.fromkeys(row["model"] for row in rows):
            model_section(page, model, [row for row in rows if row["model"] == model])
