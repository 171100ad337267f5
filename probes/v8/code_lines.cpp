#include "code_lines.hpp"

#include <pthread.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

namespace probes::v8 {

namespace {

constexpr const char* kFile = "file://";

using Positions = std::vector<std::pair<size_t, size_t>>;  // offsets in the code and the source

struct Code {
  uint64_t begin;
  uint64_t end;
  std::string name;
  Positions positions;
};

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
// The known code by address. New code replaces older code at the same address.
std::map<uint64_t, Code>& codes() {
  static auto* made = new std::map<uint64_t, Code>;
  return *made;
}
std::map<uint64_t, Positions>& positions() {
  static auto* made = new std::map<uint64_t, Positions>;
  return *made;
}

void keep(Code code) {
  auto& all = codes();
  auto at = all.lower_bound(code.begin);
  if (at != all.begin() && std::prev(at)->second.end > code.begin) --at;
  while (at != all.end() && at->second.begin < code.end) at = all.erase(at);
  const uint64_t begin = code.begin;
  all.insert_or_assign(begin, std::move(code));
}

void move(const CodeEvent& event) {
  const auto at = codes().find(event.begin);
  if (at == codes().end()) return;
  Code code = at->second;
  code.end = event.moved_to + (code.end - code.begin);
  code.begin = event.moved_to;
  keep(std::move(code));
}

void on_code(const CodeEvent* event) {
  constexpr int kBytecode = 0, kCompiled = 1;
  if (event->type == CodeEvent::kStartLines) {
    // V8 passes this pointer to the next events, until kEndLines.
    const_cast<CodeEvent*>(event)->lines = new Positions;
    return;
  }
  auto* lines = static_cast<Positions*>(event->lines);
  if (event->type == CodeEvent::kAddLine) {
    if (lines != nullptr) lines->emplace_back(event->line.offset, event->line.position);
    return;
  }
  pthread_mutex_lock(&lock);
  if (event->type == CodeEvent::kEndLines && lines != nullptr) {
    if (event->code_type == kBytecode) positions()[event->begin] = std::move(*lines);
    delete lines;
  } else if (event->type == CodeEvent::kAdded &&
             (event->code_type == kBytecode || event->code_type == kCompiled)) {
    const auto found = positions().find(event->begin);
    Positions own;
    if (event->code_type == kBytecode && found != positions().end()) {
      own = std::move(found->second);
      positions().erase(found);
    }
    keep({event->begin, event->begin + event->length,
          std::string(event->name.text, event->name.length), std::move(own)});
  } else if (event->type == CodeEvent::kMoved) {
    move(*event);
  }
  pthread_mutex_unlock(&lock);
}

// The positions at which the lines of a file begin, and the position after its end. V8 counts in
// UTF-16: a character of four bytes counts as two.
std::vector<size_t> lines_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return {};
  std::vector<size_t> begins{0};
  size_t units = 0;
  for (std::istreambuf_iterator<char> at(file), end; at != end; ++at) {
    const auto byte = static_cast<uint8_t>(*at);
    units += byte >= 0xf0 ? 2 : (byte & 0xc0) == 0x80 ? 0 : 1;
    if (byte == '\n') begins.push_back(units);
  }
  begins.push_back(units + 1);
  return begins;
}

// The line of a position; 0 if the file does not exist or is shorter. Each file is read once,
// because a program of one large file has thousands of sampled positions.
int line_at(const std::string& path, size_t position) {
  static std::map<std::string, std::vector<size_t>> lines;
  auto [at, is_new] = lines.try_emplace(path);
  if (is_new) at->second = lines_of(path);
  const auto& begins = at->second;
  const auto next = std::upper_bound(begins.begin(), begins.end(), position);
  return next == begins.end() ? 0 : static_cast<int>(next - begins.begin());
}

// The blank before the path in a name. Functions ("get size") and paths may contain blanks too, but
// a path begins with one of these texts, unless it is no file.
size_t blank_before_path(const std::string& name) {
  size_t found = std::string::npos;
  for (const char* beginning : {" /", " file://", " node:"}) {
    const size_t at = name.rfind(beginning);
    if (at != std::string::npos && (found == std::string::npos || at > found)) found = at;
  }
  return found == std::string::npos ? name.find(' ') : found;
}

// The path of a file's URL, in which blanks and the letters of most languages are encoded.
std::string path_of(const std::string& url) {
  std::string path;
  const size_t end = std::min(url.find_first_of("?#"), url.size());
  for (size_t at = strlen(kFile); at < end; ++at) {
    unsigned byte;
    if (url[at] != '%' || sscanf(url.c_str() + at + 1, "%2x", &byte) != 1) {
      path += url[at];
    } else {
      path += static_cast<char>(byte);
      at += 2;
    }
  }
  return path;
}

// "Function:~sum /app/main.js:3:14", with the line and the column of the function's beginning.
SourceLine parsed(const std::string& name) {
  SourceLine made;
  const size_t column = name.rfind(':');
  const size_t line = column == std::string::npos ? column : name.rfind(':', column - 1);
  const size_t begin = std::min(name.find(':'), name.find_first_of("~^*+")) + 1;
  const size_t blank = blank_before_path(name);
  if (line == std::string::npos || blank == std::string::npos || blank > line) return made;
  made.function = name.substr(begin, blank - begin);
  // "o*sum": code that V8 compiled while a loop of the function was running.
  if (made.function.size() > 1 && std::string("~^*+").find(made.function[1]) != std::string::npos)
    made.function.erase(0, 1);
  while (!made.function.empty() && std::string("~^*+:").find(made.function[0]) != std::string::npos)
    made.function.erase(0, 1);
  if (made.function.empty()) made.function = "(anonymous)";
  made.path = name.substr(blank + 1, line - blank - 1);
  made.line = atoi(name.c_str() + line + 1);
  if (made.path.rfind(kFile, 0) == 0) made.path = path_of(made.path);
  return made;
}

}  // namespace

void observe_code(const Engine& engine, Isolate isolate) {
  constexpr int kExistingToo = 1;
  engine.observe_code(isolate, kExistingToo, on_code);
}

void ignore_code(const Engine& engine, Isolate isolate) {
  engine.observe_code(isolate, 0, nullptr);
}

SourceLine line_of(uint64_t address) {
  pthread_mutex_lock(&lock);
  auto at = codes().upper_bound(address);
  SourceLine made;
  if (at != codes().begin() && address < (--at)->second.end) {
    const Code& code = at->second;
    made = parsed(code.name);
    size_t position = 0;
    for (const auto& [offset, source] : code.positions)
      if (code.begin + offset <= address) position = source;
    if (position != 0 && !made.path.empty())
      if (const int line = line_at(made.path, position)) made.line = line;
  }
  pthread_mutex_unlock(&lock);
  return made;
}

}  // namespace probes::v8
