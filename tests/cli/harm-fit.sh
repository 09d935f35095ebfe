# Harm that a fade fits exactly: offset 6, width 2, shoulder 1, toe 4, lambda 40; and a second
# model whose harm is a line with a step at -8.75.
python3 - > harm.csv <<'END'
from math import log


def g(z):
    if z > 2:
        return 2 + log(z - 1)
    return z if z >= -2 else z - (z + 2) ** 2 / 8


print("model,kind,coordinate,band,harm,se,n")
for d in (i + 0.25 for i in range(16)):  # no band on a knot
    print("bent,any,z_top,%.17g,%.17g,0.01,300" % (-d, (g(6) - g(6 - d)) / 40))
    print("stepped,any,z_top,%.17g,%.17g,0.01,300" % (-d, d / 40 if d < 8.5 else 3))
    print("bent,broken_word,z_top,%.17g,0,0.01,300" % -d)
END
$hlg harm fit harm.csv --model bent --repeats 0 | grep -v '^log\|shape log'
echo >> harm.csv  # a blank line is no row
$hlg harm fit harm.csv --model stepped --repeats 0 | grep cut-off
$hlg harm fit harm.csv --model bent --repeats 40 | grep -o 'of 40 repeats fade fits better'
$hlg harm fit harm.csv --model bent --repeats 50 --json | python3 -c '
import json, sys
[model] = json.load(sys.stdin)
print(model["model"], len(model["points"]), [fit["shape"] for fit in model["fits"]])
print(model["repeats"], "repeats; fade is often better:", model["fade_better"] > 0.5)
for name, (low, high) in model["fits"][0]["intervals"].items():
    truth = {"pivot_offset": 6, "width": 2, "shoulder": 1, "toe": 4, "toe_knot": -8}.get(name, -4)
    print(name, "holds the truth:", low <= truth <= high)'
