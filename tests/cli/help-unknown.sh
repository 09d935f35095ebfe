$hlg help frobnicate
