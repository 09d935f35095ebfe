echo '{"id": "a", "kind": "text", "text": "The sea"}' >prompts.jsonl
$hlg harm -m nowhere.gguf --prompts prompts.jsonl --out harm
