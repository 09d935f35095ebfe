$hlg record -m model.gguf --prompts prompts.jsonl
