$hlg frobnicate
