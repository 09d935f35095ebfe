# One generator for all rows; equal seeds, equal tokens; the likely tokens are drawn.
$floats make '[[0, 1, 2, 3], [9, -inf, nan, -inf], [1, inf, 2, inf]]' > rows.f32
$hlg draw --logits rows.f32 --vocab 4 --seed 1 --n 3 > a
$hlg draw --logits - --vocab 4 --seed 1 --n 3 < rows.f32 > b
cmp a b
tail -n 6 a
$floats make '[[0, 1, 2, 3]]' > row.f32
$hlg draw --logits row.f32 --vocab 4 --seed 1 --n 2000 | sort | uniq -c |
  awk '{ print $2, ($1 > 20) }'
