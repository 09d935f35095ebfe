for command in frobnicate "harm file"; do
  $hlg help $command || echo "exit $?"
done
