#include "processor_time.hpp"

#include <unistd.h>

#include <utility>

#include "clock.hpp"
#include "control_group.hpp"
#include "kernel_file.hpp"

namespace launcher {
namespace {

// The columns of a line "cpuN …" in /proc/stat or /proc/schedstat; empty if there is no such line.
std::vector<uint64_t> processor_line(const std::string& text, int processor) {
  std::string key = "cpu" + std::to_string(processor) + " ";
  size_t at = text.starts_with(key) ? 0 : text.find("\n" + key);
  if (at == std::string::npos) return {};
  if (at > 0) ++at;
  std::vector<uint64_t> columns;
  std::string_view line = std::string_view(text).substr(at, text.find('\n', at) - at);
  for (std::string_view word : words(line.substr(key.size())))
    columns.push_back(parse_number(word).value_or(0));
  return columns;
}

uint64_t ticks_to_ns(uint64_t ticks) {
  return ticks * static_cast<uint64_t>(kNsPerSecond / sysconf(_SC_CLK_TCK));
}

// proc_stat(5): user nice system idle iowait irq softirq steal guest guest_nice; user includes
// guest.
enum StatColumn { kUser, kNice, kSystem, kIdle, kIowait, kIrq, kSoftirq, kSteal };

std::optional<uint64_t> stat_busy_ns(const std::string& text, int processor) {
  auto columns = processor_line(text, processor);
  if (columns.size() <= kSteal) return std::nullopt;
  return ticks_to_ns(columns[kUser] + columns[kNice] + columns[kSystem] + columns[kIrq] +
                     columns[kSoftirq]);
}

// Documentation/scheduler/sched-stats.rst: the seventh field is the "sum of all time spent running
// by tasks on this processor (in nanoseconds)".
std::optional<uint64_t> schedstat_busy_ns(const std::string& text, int processor) {
  auto columns = processor_line(text, processor);
  if (columns.size() < 9) return std::nullopt;
  return columns[6];
}

// The usage of a container's own group would not include its neighbours, which cause foreign time.
// Only the machine's root group has a release_agent.
std::optional<std::string> cpuacct_usage_path() {
  auto place = find_controller_mount("cpuacct");
  if (!place || access((*place + "/release_agent").c_str(), F_OK) != 0) return std::nullopt;
  return *place + "/cpuacct.usage_percpu";
}

std::optional<uint64_t> cpuacct_busy_ns(const std::string& text, int processor) {
  auto figures = words(text);
  if (static_cast<size_t>(processor) >= figures.size()) return std::nullopt;
  return parse_number(figures[static_cast<size_t>(processor)]);
}

}  // namespace

ProcessorTime::ProcessorTime(std::vector<int> processors, std::string source)
    : processors_(std::move(processors)), source_(std::move(source)) {}

ProcessorTime::ProcessorTime(std::vector<int> processors) : processors_(std::move(processors)) {
  for (const char* source : {"schedstat", "cpuacct", "stat"}) {
    source_ = source;
    if (busy_ns()) return;
  }
  source_.clear();
}

std::optional<uint64_t> ProcessorTime::busy_ns() const {
  std::optional<std::string> text;
  auto of_processor = stat_busy_ns;
  if (source_ == "schedstat") {
    text = read_kernel_file("/proc/schedstat");
    of_processor = schedstat_busy_ns;
  } else if (source_ == "cpuacct") {
    if (auto path = cpuacct_usage_path()) text = read_kernel_file(*path);
    of_processor = cpuacct_busy_ns;
  } else if (source_ == "stat") {
    text = read_kernel_file("/proc/stat");
  }
  if (!text) return std::nullopt;
  uint64_t sum = 0;
  for (int processor : processors_) {
    auto busy = of_processor(*text, processor);
    if (!busy) return std::nullopt;
    sum += *busy;
  }
  return sum;
}

ProcessorTime::Reading ProcessorTime::read() const {
  // This clock makes the kernel add the time of the calling task.
  read_clock_ns(CLOCK_THREAD_CPUTIME_ID);
  Reading reading{.busy_ns = busy_ns(), .steal_ns = std::nullopt};
  auto text = read_kernel_file("/proc/stat");
  if (!text) return reading;
  uint64_t steal = 0;
  for (int processor : processors_) {
    auto columns = processor_line(*text, processor);
    if (columns.size() <= kSteal) return reading;
    steal += ticks_to_ns(columns[kSteal]);
  }
  reading.steal_ns = steal;
  return reading;
}

}  // namespace launcher
