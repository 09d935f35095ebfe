$hlg apply --logits x --vocab 2 --hlg-toe 0
