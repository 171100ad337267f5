#include "method_lines.hpp"

#include <algorithm>

#include "../core/memory.hpp"

namespace probes::hotspot {

namespace {

// A text that the virtual machine allocated. It encodes NUL, and characters beyond 16 bits,
// differently from UTF-8 (JNI, "Modified UTF-8 Strings"). These bytes become question marks.
std::string taken(const Jvmti& jvmti, char* text) {
  if (text == nullptr) return "";
  std::string made = text;
  jvmti.deallocate(text);
  for (size_t at = 0; at < made.size(); ++at) {
    const auto first = static_cast<uint8_t>(made[at]);
    const auto second = static_cast<uint8_t>(at + 1 < made.size() ? made[at + 1] : 0);
    if (first == 0xc0) made.replace(at, 2, "??");
    if (first == 0xed && second >= 0xa0) made.replace(at, 3, "???");
  }
  return made;
}

// Converts "Lcom/example/Foo$Bar;" to com/example/Foo$Bar.
std::string class_name(const Jvmti& jvmti, Object type) {
  char* signature = nullptr;
  jvmti.class_signature(type, &signature);
  const std::string text = taken(jvmti, signature);
  return text.size() < 2 || text[0] != 'L' ? text : text.substr(1, text.size() - 2);
}

}  // namespace

uint64_t address_of(MethodId method) {
  uint64_t address;
  const bool read = read_memory(reinterpret_cast<uintptr_t>(method), &address, sizeof address);
  return read ? address : 0;
}

void MethodLines::read(const Jvmti& jvmti, const std::set<uint64_t>& methods) {
  int32_t class_count = 0;
  Object* classes = nullptr;
  if (methods.empty() || jvmti.loaded_classes(&class_count, &classes) != 0) return;
  for (int32_t at = 0; at < class_count; ++at) {
    int32_t method_count = 0;
    MethodId* own = nullptr;
    if (jvmti.methods_of(classes[at], &method_count, &own) != 0) continue;
    for (int32_t index = 0; index < method_count; ++index) {
      const uint64_t address = address_of(own[index]);
      if (methods.count(address) != 0) found_[address] = described(jvmti, classes[at], own[index]);
    }
    jvmti.deallocate(own);
  }
  jvmti.deallocate(classes);
}

MethodLines::Method MethodLines::described(const Jvmti& jvmti, Object type, MethodId method) {
  Method made;
  const std::string name = class_name(jvmti, type);
  const size_t slash = name.rfind('/');
  const size_t simple = slash == std::string::npos ? 0 : slash + 1;
  char* text = nullptr;
  if (jvmti.source_file(type, &text) == 0) made.path = name.substr(0, simple) + taken(jvmti, text);
  text = nullptr;
  if (jvmti.method_name(method, &text) == 0)
    made.name = name.substr(simple) + "." + taken(jvmti, text);
  int32_t count = 0;
  LineEntry* lines = nullptr;
  if (jvmti.lines_of(method, &count, &lines) != 0) return made;
  for (int32_t at = 0; at < count; ++at) made.lines.emplace_back(lines[at].start, lines[at].line);
  std::sort(made.lines.begin(), made.lines.end());
  jvmti.deallocate(lines);
  return made;
}

SourceLine MethodLines::line(uint64_t method, uint32_t offset) const {
  const auto at = found_.find(method);
  if (at == found_.end()) return {};
  SourceLine made{at->second.path, at->second.name, 0};
  for (const auto& [start, line] : at->second.lines)
    if (start <= static_cast<int64_t>(offset)) made.line = line;
  return made;
}

}  // namespace probes::hotspot
