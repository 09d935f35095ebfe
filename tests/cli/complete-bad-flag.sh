$hlg complete --hlg-toe-shape Fade
