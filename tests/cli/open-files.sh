# A path that stands for an open file: what is in it stays, and what comes after does too.
$hlg curve --svg curve.svg
(echo head; cat curve.svg; echo tail) > expected
ln -s /dev/stdout link
for path in - /dev/stdout /dev/fd/1 /proc/self/fd/1 link; do
  (echo head; $hlg curve --svg "$path"; echo tail) > new
  echo head > old
  ($hlg curve --svg "$path"; echo tail) >> old
  cmp new expected
  cmp old expected
done
echo head > third
$hlg curve --svg /dev/fd/3 3>> third
echo tail >> third
cmp third expected
ln -s link link2 && ln -sf link2 link
$hlg curve --svg link || echo "exit $?"
ls
