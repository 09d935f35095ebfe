# What would be mixed up, or not shown at all.
for flags in "--svg - --json" "--svg - --logits rows.f32 --vocab 4" \
  "--json --logits rows.f32 --vocab 4" "--vocab 4" "--logits rows.f32"; do
  $hlg curve $flags || echo "exit $?"
done
