// Members of a JSON object, checked. Throws Failure: what is wrong, where, what is allowed.
#pragma once

#include <cstdint>
#include <string>

#include "json.h"

// `where` names the text in complaints.
common_json parse_object(const std::string& text, const std::string& where);

// null where there is none.
common_json member(const common_json& object, const std::string& key);

int64_t whole_number(const common_json& object, const std::string& key, const std::string& where,
                     int64_t low, int64_t high);
std::string nonempty_text(const common_json& object, const std::string& key,
                          const std::string& where);
// false where there is none.
bool boolean(const common_json& object, const std::string& key, const std::string& where);

[[noreturn]] void refuse(const std::string& where, const common_json& value,
                         const std::string& allowed);
