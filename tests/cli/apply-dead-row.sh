# A row without a live token: one line, status 3, and no file.
$floats make '[[0, 1], [1, 1], [2, 1], [-inf, nan]]' > rows.f32
$hlg apply --logits rows.f32 --vocab 2 --out p.f32 || { echo "status $?"; ls; exit 3; }
