// The prompts of the lab: a file with one JSON object a line. Answers are for the scores, which the
// lab's Python gives.
//
//     {"id": "maths-01", "kind": "maths", "chat": true, "text": "What is 2 + 2?", "answer": "4"}
#pragma once

#include <string>
#include <vector>

struct Prompt {
  std::string id, kind, text;
  bool chat = false;  // a user's message, for the model's chat template
};

// Throws Failure with the line that is wrong.
std::vector<Prompt> read_prompts(const std::string& path);
