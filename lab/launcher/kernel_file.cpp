#include "kernel_file.hpp"

#include <dirent.h>
#include <fcntl.h>

#include <cerrno>
#include <charconv>
#include <memory>

#include "descriptor.hpp"

namespace launcher {

std::optional<std::string> read_kernel_file(const std::string& path) {
  Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return std::nullopt;
  std::string text;
  char block[4096];
  for (;;) {
    ssize_t length = read(file.number(), block, sizeof block);
    if (length < 0 && errno == EINTR) continue;
    if (length < 0) return std::nullopt;
    if (length == 0) return text;
    text.append(block, static_cast<size_t>(length));
  }
}

int write_kernel_file(const std::string& path, std::string_view text) {
  Descriptor file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file.valid()) return errno;
  return write(file.number(), text.data(), text.size()) < 0 ? errno : 0;
}

std::optional<uint64_t> parse_number(std::string_view text) {
  uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> found;
  constexpr std::string_view kSpace = " \t\n";
  for (size_t at = text.find_first_not_of(kSpace); at != std::string_view::npos;) {
    size_t end = std::min(text.find_first_of(kSpace, at), text.size());
    found.push_back(text.substr(at, end - at));
    at = text.find_first_not_of(kSpace, end);
  }
  return found;
}

std::optional<uint64_t> read_kernel_number(const std::string& path) {
  auto text = read_kernel_file(path);
  if (!text) return std::nullopt;
  auto found = words(*text);
  return found.empty() ? std::nullopt : parse_number(found.front());
}

std::optional<uint64_t> field_after(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    auto found = words(text.substr(0, end));
    if (found.size() >= 2 && found[0] == key) return parse_number(found[1]);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return std::nullopt;
}

std::vector<pid_t> numbered_entries(const std::string& directory) {
  std::vector<pid_t> numbers;
  struct Close {
    void operator()(DIR* open) const { closedir(open); }
  };
  std::unique_ptr<DIR, Close> folder(opendir(directory.c_str()));
  if (!folder) return numbers;
  while (const dirent* entry = readdir(folder.get())) {
    if (auto number = parse_number(entry->d_name)) numbers.push_back(static_cast<pid_t>(*number));
  }
  return numbers;
}

}  // namespace launcher
