# A size that is no whole number of rows is said before any output.
$floats make '[[0, 1, 2]]' > rows.f32
$hlg apply --logits rows.f32 --vocab 2
