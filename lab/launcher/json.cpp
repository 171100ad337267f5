#include "json.hpp"

#include <cstdio>

namespace launcher {
namespace {

// The length of the valid UTF-8 sequence at the start (Unicode 15, table 3-7); 0 if there is none.
size_t sequence_length(std::string_view text) {
  auto byte = [&](size_t at) {
    return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U;
  };
  auto follows = [&](size_t at, unsigned low, unsigned high) {
    return byte(at) >= low && byte(at) <= high;
  };
  unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return follows(1, 0x80, 0xBF) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    unsigned low = first == 0xE0 ? 0xA0 : 0x80;
    unsigned high = first == 0xED ? 0x9F : 0xBF;
    return follows(1, low, high) && follows(2, 0x80, 0xBF) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    unsigned low = first == 0xF0 ? 0x90 : 0x80;
    unsigned high = first == 0xF4 ? 0x8F : 0xBF;
    return follows(1, low, high) && follows(2, 0x80, 0xBF) && follows(3, 0x80, 0xBF) ? 4 : 0;
  }
  return 0;
}

}  // namespace

std::string quoted(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    size_t length = sequence_length(text);
    unsigned char first = static_cast<unsigned char>(text[0]);
    if (length == 0) {
      out += "\\ufffd";
      length = 1;
    } else if (first == '"' || first == '\\') {
      out += '\\';
      out += text[0];
    } else if (first < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", first);
      out += escape;
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return out + '"';
}

void JsonObject::add_raw(std::string_view name, std::string_view value) {
  if (!members_.empty()) members_ += ", ";
  members_ += quoted(name);
  members_ += ": ";
  members_ += value;
}

void JsonObject::add_null(std::string_view name) { add_raw(name, "null"); }

void JsonObject::add(std::string_view name, std::string_view text) { add_raw(name, quoted(text)); }

void JsonObject::add(std::string_view name, const std::optional<std::string>& text) {
  add_raw(name, text ? quoted(*text) : "null");
}

void JsonObject::add(std::string_view name, bool truth) { add_raw(name, truth ? "true" : "false"); }

void JsonObject::add(std::string_view name, int64_t number) {
  add_raw(name, std::to_string(number));
}

void JsonObject::add(std::string_view name, uint64_t number) {
  add_raw(name, std::to_string(number));
}

void JsonObject::add(std::string_view name, const std::optional<uint64_t>& number) {
  add_raw(name, number ? std::to_string(*number) : "null");
}

void JsonObject::add(std::string_view name, const std::optional<int64_t>& number) {
  add_raw(name, number ? std::to_string(*number) : "null");
}

void JsonObject::add(std::string_view name, const std::optional<int>& number) {
  add_raw(name, number ? std::to_string(*number) : "null");
}

void JsonObject::add(std::string_view name, const std::vector<int>& numbers) {
  std::string list = "[";
  for (int number : numbers) list += (list.size() > 1 ? ", " : "") + std::to_string(number);
  add_raw(name, list + "]");
}

void JsonObject::add(std::string_view name, const JsonObject& object) {
  add_raw(name, object.text());
}

}  // namespace launcher
