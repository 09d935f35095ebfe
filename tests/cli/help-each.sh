# Each command's --help ends well and has an example; docs/reference/cli.md holds the texts.
for command in apply chat complete curve draw harm "harm fit" kl models record serve sweep version; do
  $hlg $command --help > text 2> log
  sed -n '1p; /^Example/,/^$/p' text
done
