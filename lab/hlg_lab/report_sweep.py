"""The chapter on `hlg sweep`: HLG and its rivals at equal entropy, on recorded rows."""
from . import plots, settings
from .settings import COSTS, SETTING, arm, grouped, least, measured_costs

FLOOR = 1e-6  # of the deep tail in plots: what is cut off has none


def best_table(rows):
    """A line an arm: the setting of least harm (deep tail, where harm is not known), what else it
    costs, and the lowest of those costs by any setting of the arm."""
    first, *others = measured_costs(rows)
    lines = []
    for name, tried in grouped(rows, arm).items():
        best = least(tried, first)
        lines.append([name, *(best[column] for column in (*SETTING, "top_lowered", first, *others)),
                      *(least(tried, cost)[cost] for cost in others)])
    return ["sampler", *SETTING, "top lowered", *(COSTS[cost] for cost in (first, *others)),
            *("lowest " + COSTS[cost] for cost in others)], lines


def series_of(tried, cost):
    """The lowest cost of an arm's settings at each share of the entropy."""
    lowest = {share: least(some, cost)[cost]
              for share, some in sorted(grouped(tried, "entropy_share").items())}
    floor = FLOOR if cost == "deep_tail" else -float("inf")
    return list(lowest), [max(value, floor) for value in lowest.values()]


def cost_plot(rows, costs):
    figure, panels = plots.panels(len(costs))
    for axes, cost in zip(panels, costs):
        series = [(name, *series_of(tried, cost), None)
                  for name, tried in grouped(rows, arm).items()]
        plots.draw_lines(axes, series, "entropy, share of that at T = 1", COSTS[cost],
                         "y" if cost == "deep_tail" else "")
    return plots.svg_of(figure)


def counts_table(rows):
    """Of how many settings at each share how many are not beaten."""
    def count(some):
        return "%d of %d" % (sum(row["pareto"] == 1 for row in some), len(some)) if some else None
    shares = sorted(grouped(rows, "entropy_share"))
    return ["sampler", *("%g" % share for share in shares)], [
        [name, *(count(grouped(tried, "entropy_share").get(share)) for share in shares)]
        for name, tried in grouped(rows, arm).items()]


def model_section(page, model, rows):
    page.heading(model, level=3)
    harm_model = rows[0]["harm_model"]
    page.text("%d rows, %d of them near greedy (top token at 0.99 or more). %s" % (
        rows[0]["rows"], rows[0]["near_greedy_rows"],
        "Harm curve: %s." % harm_model if harm_model else "No harm curve."))
    page.plot("sweep-" + model, "What entropy costs: the lowest of each sampler's settings.",
              cost_plot(rows, measured_costs(rows)))
    page.text("Settings that no other one of the same entropy beats, of those tried, by the "
              "entropy as a share of that at T = 1.")
    page.table(*counts_table(rows))
    for share, some in sorted(grouped(rows, "entropy_share").items()):
        page.text("Mean entropy %.4g nats, %g of that at T = 1. The setting of each sampler with "
                  "the lowest %s; last, how low any of its settings gets in the other costs." % (
                      some[0]["entropy"], share, COSTS[measured_costs(some)[0]]))
        page.table(*best_table(some))


def write(page, paths):
    page.heading("Settings against each other")
    page.text("Every setting of a sampler was brought to the same mean entropy over the rows by "
              "its temperature, so only the costs differ.")
    for path in paths:
        for model, rows in grouped(settings.read(path), "model").items():
            model_section(page, model, rows)
