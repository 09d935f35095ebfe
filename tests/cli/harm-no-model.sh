$hlg harm -m nowhere.gguf --prompts nowhere.jsonl --out harm
