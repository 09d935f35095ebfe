# hlg help COMMAND is hlg COMMAND --help; hlg help is hlg --help.
for command in apply curve harm "harm fit" version; do
  cmp <($hlg help $command) <($hlg $command --help)
done
cmp <($hlg help) <($hlg --help)
