$hlg --help
