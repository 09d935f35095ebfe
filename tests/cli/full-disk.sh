# Output that is lost is an error, in one line.
status=0
for command in "models" "version" "curve" "curve --json" "help" "draw --help"; do
  $hlg $command >/dev/full || status=$?
done
exit $status
