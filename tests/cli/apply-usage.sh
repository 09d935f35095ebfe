$hlg apply --vocab 2
