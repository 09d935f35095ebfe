# Output that is lost is an error, in one line, and no half of a file stays.
for command in "models" "version" "curve" "curve --json" "curve --svg -" "help" "draw --help"; do
  $hlg $command >/dev/full || echo "exit $?"
done
trap '' XFSZ
(ulimit -f 1 && $hlg curve --svg curve.svg) || echo "exit $?"
ls
