#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "processor_counters.hpp"

namespace launcher {

extern const char* const kUsage;

// The user and group of the program, by number. The system need not have names for them.
struct User {
  uint32_t uid = 0;
  uint32_t gid = 0;
};

struct Options {
  std::string report;
  std::optional<int> program_stdin;
  std::optional<std::string> program_stdout;
  std::optional<std::string> program_stderr;
  std::optional<std::string> directory;
  std::vector<int> processors;  // empty: not pinned
  std::optional<User> user;     // nothing: the launcher's user
  std::optional<int64_t> timeout_ns;
  int64_t grace_ns = 5'000'000'000;
  std::optional<uint64_t> memory_limit_bytes;
  std::optional<double> cpu_quota;  // in processors
  std::optional<std::string> cgroup_root;
  std::vector<std::string> drop_cache;
  std::optional<CountedEvents> counters = CountedEvents{};
  int64_t sample_ns = 100'000'000;  // 0: never
  std::vector<std::string> command;
};

// The user's mistake on the command line, as one line that says what to do.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Parses a command line. Throws UsageError.
Options parse_options(const std::vector<std::string>& arguments);

}  // namespace launcher
