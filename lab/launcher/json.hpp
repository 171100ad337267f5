#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace launcher {

// Writes one JSON object, member after member, in the order of the calls.
class JsonObject {
 public:
  void add(std::string_view name, std::string_view text);
  void add(std::string_view name, const char* text) { add(name, std::string_view(text)); }
  void add(std::string_view name, const std::string& text) { add(name, std::string_view(text)); }
  void add(std::string_view name, const std::optional<std::string>& text);
  void add(std::string_view name, bool truth);
  void add(std::string_view name, int64_t number);
  void add(std::string_view name, uint64_t number);
  void add(std::string_view name, const std::optional<uint64_t>& number);
  void add(std::string_view name, const std::optional<int64_t>& number);
  void add(std::string_view name, const std::optional<int>& number);
  void add(std::string_view name, const std::vector<int>& numbers);
  void add(std::string_view name, const JsonObject& object);
  void add_null(std::string_view name);

  std::string text() const { return "{" + members_ + "}"; }

 private:
  void add_raw(std::string_view name, std::string_view value);

  std::string members_;
};

// A JSON string with quotation marks. Bytes that are not UTF-8 become U+FFFD.
std::string quoted(std::string_view text);

}  // namespace launcher
