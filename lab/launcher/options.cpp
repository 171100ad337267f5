#include "options.hpp"

#include <fcntl.h>

#include <charconv>
#include <cmath>

#include "clock.hpp"
#include "kernel_file.hpp"
#include "processors.hpp"

namespace launcher {

const char* const kUsage =
    "runfair-launch --report FILE [--program-stdin FD] [--stdout PATH] [--stderr PATH]"
    " [--directory DIR] [--processors LIST] [--user UID:GID] [--timeout SECONDS] [--grace SECONDS]"
    " [--memory-limit BYTES] [--cpu-quota CPUS] [--cgroup-root DIR] [--drop-cache PATH]..."
    " [--sample-ms N] [--counters none|TYPE:CONFIG,TYPE:CONFIG] -- PROGRAM ARG...";

namespace {

// About thirty years. Added to any clock, it still fits into 64 bits of nanoseconds.
constexpr double kLongestSeconds = 1e9;

double positive(const std::string& option, const std::string& text, bool zero_allowed) {
  double value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  bool whole = error == std::errc() && end == text.data() + text.size();
  if (!whole || !std::isfinite(value) || value < 0 || value > kLongestSeconds ||
      (value == 0 && !zero_allowed))
    throw UsageError(option + " needs a positive number, not '" + text + "'");
  return value;
}

int64_t seconds_ns(const std::string& option, const std::string& text, bool zero_allowed) {
  return static_cast<int64_t>(positive(option, text, zero_allowed) * kNsPerSecond);
}

uint64_t whole_number(const std::string& option, const std::string& text, uint64_t least,
                      uint64_t most) {
  auto value = parse_number(text);
  if (!value || *value < least || *value > most)
    throw UsageError(option + " needs an integer from " + std::to_string(least) + " to " +
                     std::to_string(most) + ", not '" + text + "'");
  return *value;
}

int inherited_descriptor(const std::string& option, const std::string& text) {
  int number = static_cast<int>(whole_number(option, text, 3, 1 << 20));
  if (fcntl(number, F_GETFD) < 0)
    throw UsageError(option + ": descriptor " + text + " is not open");
  return number;
}

User user(const std::string& option, const std::string& text) {
  size_t colon = text.find(':');
  auto uid = parse_number(text.substr(0, colon));
  auto gid = colon == std::string::npos ? std::nullopt : parse_number(text.substr(colon + 1));
  // setresuid(2) interprets the greatest number as "do not change".
  if (!uid || !gid || *uid >= UINT32_MAX || *gid >= UINT32_MAX)
    throw UsageError(option + " needs two numbers such as 65534:65534, not '" + text + "'");
  return {static_cast<uint32_t>(*uid), static_cast<uint32_t>(*gid)};
}

CountedEvent counted_event(const std::string& option, const std::string& text) {
  size_t colon = text.find(':');
  auto type = parse_number(text.substr(0, colon));
  auto config = colon == std::string::npos ? std::nullopt : parse_number(text.substr(colon + 1));
  if (!type || !config || *type > UINT32_MAX)
    throw UsageError(option + " needs an event such as 0:1, not '" + text + "'");
  return {static_cast<uint32_t>(*type), *config};
}

std::optional<CountedEvents> counted_events(const std::string& option, const std::string& text) {
  if (text == "none") return std::nullopt;
  size_t comma = text.find(',');
  if (comma == std::string::npos)
    throw UsageError(option + " needs none, or two events such as 0:0,0:1, not '" + text + "'");
  return CountedEvents{counted_event(option, text.substr(0, comma)),
                       counted_event(option, text.substr(comma + 1))};
}

void set_option(Options& options, const std::string& name, const std::string& value) {
  if (name == "--report") {
    options.report = value;
  } else if (name == "--program-stdin") {
    options.program_stdin = inherited_descriptor(name, value);
  } else if (name == "--stdout") {
    options.program_stdout = value;
  } else if (name == "--stderr") {
    options.program_stderr = value;
  } else if (name == "--directory") {
    options.directory = value;
  } else if (name == "--processors") {
    auto processors = parse_processors(value);
    if (!processors)
      throw UsageError("--processors needs a list such as 1 or 0,2-3, not '" + value + "'");
    options.processors = *processors;
  } else if (name == "--user") {
    options.user = user(name, value);
  } else if (name == "--timeout") {
    options.timeout_ns = seconds_ns(name, value, false);
  } else if (name == "--grace") {
    options.grace_ns = seconds_ns(name, value, true);
  } else if (name == "--memory-limit") {
    options.memory_limit_bytes = whole_number(name, value, 1, INT64_MAX);
  } else if (name == "--cpu-quota") {
    options.cpu_quota = positive(name, value, false);
  } else if (name == "--cgroup-root") {
    options.cgroup_root = value;
  } else if (name == "--drop-cache") {
    options.drop_cache.push_back(value);
  } else if (name == "--sample-ms") {
    options.sample_ns = static_cast<int64_t>(whole_number(name, value, 0, 3'600'000)) * kNsPerMs;
  } else if (name == "--counters") {
    options.counters = counted_events(name, value);
  } else {
    throw UsageError("unknown option '" + name + "'; usage: " + kUsage);
  }
}

}  // namespace

Options parse_options(const std::vector<std::string>& arguments) {
  Options options;
  size_t at = 0;
  for (; at < arguments.size() && arguments[at] != "--"; ++at) {
    const std::string& name = arguments[at];
    if (!name.starts_with("--"))
      throw UsageError("'" + name + "' is not an option; put -- before the program");
    if (at + 1 >= arguments.size() || arguments[at + 1] == "--")
      throw UsageError(name + " needs a value; usage: " + kUsage);
    set_option(options, name, arguments[++at]);
  }
  if (at + 1 >= arguments.size())
    throw UsageError(std::string("there is no program after --; usage: ") + kUsage);
  options.command.assign(arguments.begin() + static_cast<ptrdiff_t>(at) + 1, arguments.end());
  if (options.report.empty()) throw UsageError("--report FILE is missing");
  if (options.memory_limit_bytes && options.sample_ns == 0)
    throw UsageError("--memory-limit needs samples; --sample-ms must not be 0");
  return options;
}

}  // namespace launcher
