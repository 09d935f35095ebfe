#include "members.h"

#include "flags.h"

void refuse(const std::string& where, const common_json& value, const std::string& allowed) {
  throw Failure(kFailed, where + ": " + value.dump_safe() + " is not allowed: give " + allowed);
}

common_json parse_object(const std::string& text, const std::string& where) {
  common_json json = common_json::parse_no_throw(text);
  if (json.is_discarded() || !json.is_object()) {
    throw Failure(kFailed, where + ": this is not an object in JSON");
  }
  return json;
}

common_json member(const common_json& object, const std::string& key) {
  return object.is_object() && object.contains(key) ? object.at(key) : common_json();
}

int64_t whole_number(const common_json& object, const std::string& key, const std::string& where,
                     int64_t low, int64_t high) {
  const common_json value = member(object, key);
  if (!value.is_number_integer() || value.get<int64_t>() < low || value.get<int64_t>() > high) {
    const std::string range =
        low == high ? std::to_string(low) : std::to_string(low) + " to " + std::to_string(high);
    refuse(where + ": " + key, value, range);
  }
  return value.get<int64_t>();
}

std::string nonempty_text(const common_json& object, const std::string& key,
                          const std::string& where) {
  const common_json value = member(object, key);
  if (!value.is_string() || value.get<std::string>().empty()) {
    refuse(where + ": " + key, value, "a text that is not empty");
  }
  return value.get<std::string>();
}

bool boolean(const common_json& object, const std::string& key, const std::string& where) {
  if (!object.contains(key)) return false;
  if (!object.at(key).is_boolean()) refuse(where + ": " + key, object.at(key), "true or false");
  return object.at(key).get<bool>();
}
