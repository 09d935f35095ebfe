# Log-probabilities of every kind of row; a straight line is log-softmax.
$floats make '[[0, 1, 2, 3], [5, -inf, nan, 5], [1, inf, 2, inf], [-1, -1, -1, -inf]]' > rows.f32
$hlg apply --logits rows.f32 --vocab 4 | $floats show 4
$hlg apply --logits rows.f32 --vocab 4 --hlg-sampling off --temp 2 | $floats show 4
$hlg apply --logits - --vocab 4 --hlg-toe-shape fade --hlg-width 0 --hlg-pivot-offset 0 < rows.f32 |
  $floats show 4
$hlg apply --logits rows.f32 --vocab 4 --hlg-toe-shape log --hlg-width 0 --hlg-pivot-offset 0 |
  $floats show 4
