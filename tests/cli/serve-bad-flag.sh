$hlg serve --hlg-width wide
