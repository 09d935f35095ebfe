$hlg apply --logits nowhere.f32 --vocab 2
