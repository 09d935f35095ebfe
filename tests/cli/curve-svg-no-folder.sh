$hlg curve --svg nowhere/curve.svg
