$hlg draw --logits x --vocab 2 --seed 1 --temp nan
