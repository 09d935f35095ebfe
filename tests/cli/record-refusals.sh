# Refused before a model is loaded, each in one line.
echo '{"id": "a", "kind": "text", "text": "The sea"}' > prompts.jsonl
for more in "--rows 0" "--lanes 100" "--every x" "--seed -1"; do
  $hlg record -m no.gguf --prompts prompts.jsonl --out out $more || echo "exit $?"
done
for prompts in no.jsonl prompts.jsonl; do
  $hlg record -m no.gguf --prompts $prompts --out out || echo "exit $?"
done
echo '{"id": "a", "kind": "text"' >> prompts.jsonl
$hlg record -m no.gguf --prompts prompts.jsonl --out out || echo "exit $?"
ls
