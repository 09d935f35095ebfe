$hlg curve --hlg-toe-shape fade --hlg-width 3
