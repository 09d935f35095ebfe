# The settings and 161 points, the middle with slope 1/T.
$hlg curve --json --temp 2 --hlg-toe off | python3 -c '
import json, sys
d = json.load(sys.stdin)
print(d["settings"])
print(*(knob["flag"] for knob in d["knobs"]))
print(d["knobs"][3])
print(len(d["points"]), d["points"][0], d["points"][-1], d["points"][120])'
