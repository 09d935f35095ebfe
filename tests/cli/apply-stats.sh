# Statistics go to standard output when the data go to a file.
$floats make '[[0, 1, 2, 3], [0, -inf, nan, 0]]' > rows.f32
$hlg apply --logits rows.f32 --vocab 4 --out p.f32 --stats | python3 -c '
import json, sys
for line in sys.stdin:
    print({k: round(v, 4) for k, v in json.loads(line).items()})'
ls
$floats show 4 < p.f32
