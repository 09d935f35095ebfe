$hlg version 3
