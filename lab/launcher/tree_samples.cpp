#include "tree_samples.hpp"

#include <unistd.h>

#include <algorithm>
#include <string>

#include "kernel_file.hpp"
#include "process_tree.hpp"

namespace launcher {
namespace {

std::string proc(pid_t pid, const char* file) { return "/proc/" + std::to_string(pid) + file; }

void add(std::optional<uint64_t>& sum, std::optional<uint64_t> figure) {
  if (figure) sum = sum.value_or(0) + *figure;
}

}  // namespace

uint64_t proportional_bytes(const std::vector<pid_t>& members) {
  uint64_t sum = 0;
  for (pid_t pid : members)
    if (auto text = read_kernel_file(proc(pid, "/smaps_rollup")))
      sum += field_after(*text, "Pss:").value_or(0) * 1024;
  return sum;
}

uint64_t resident_bytes(const std::vector<pid_t>& members) {
  const uint64_t page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  uint64_t sum = 0;
  for (pid_t pid : members) {
    auto text = read_kernel_file(proc(pid, "/statm"));
    if (!text) continue;
    auto figures = words(*text);  // size resident shared …
    if (figures.size() >= 2) sum += parse_number(figures[1]).value_or(0) * page;
  }
  return sum;
}

std::optional<uint64_t> TreeSamples::look(const std::vector<pid_t>& members) {
  greatest_at_once_ = std::max<uint64_t>(greatest_at_once_, members.size());
  std::unordered_set<pid_t> known(members.begin(), members.end());
  for (pid_t pid : members) started_ += known_.contains(pid) ? 0 : 1;
  known_ = std::move(known);

  std::unordered_map<pid_t, uint64_t> waits;
  for (pid_t pid : members) look_at_threads(pid, waits);
  for (auto [thread, wait] : wait_ns_)
    if (!waits.contains(thread)) ended_wait_ns_ += wait;
  wait_ns_ = std::move(waits);

  if (members.size() < 2) return std::nullopt;
  uint64_t pss_bytes = proportional_bytes(members);
  peak_pss_bytes_ = std::max(peak_pss_bytes_, pss_bytes);
  return pss_bytes;
}

void TreeSamples::look_at_threads(pid_t pid, std::unordered_map<pid_t, uint64_t>& waits) {
  std::string tasks = proc(pid, "/task");
  for (pid_t thread : numbered_entries(tasks)) {
    auto text = read_kernel_file(tasks + "/" + std::to_string(thread) + "/schedstat");
    if (!text) continue;
    auto figures = words(*text);  // running ns, waiting ns, number of time slices
    // A kernel without this accounting writes zeros. A thread that ran has had at least one time
    // slice.
    if (figures.size() < 3 || figures[2] == "0") continue;
    waits_known_ = true;
    waits[thread] = parse_number(figures[1]).value_or(0);
  }
}

void TreeSamples::before_reaping(pid_t pid) {
  if (known_.erase(pid) == 0) ++started_;
  look_at_threads(pid, wait_ns_);
  if (auto wait = wait_ns_.find(pid); wait != wait_ns_.end()) {
    ended_wait_ns_ += wait->second;
    wait_ns_.erase(wait);
  }
  if (auto status = read_status(pid))
    inherited_faults_ = inherited_faults_ || status->children_minor_faults > 0;
  if (auto text = read_kernel_file(proc(pid, "/io"))) {
    add(read_bytes_, field_after(*text, "read_bytes:"));
    add(written_bytes_, field_after(*text, "write_bytes:"));
  }
}

uint64_t TreeSamples::processes_started() const {
  return std::max<uint64_t>({started_, greatest_at_once_, inherited_faults_ ? 2U : 1U});
}

std::optional<uint64_t> TreeSamples::run_queue_ns() const {
  if (!waits_known_) return std::nullopt;
  uint64_t sum = ended_wait_ns_;
  for (auto [thread, wait] : wait_ns_) sum += wait;
  return sum;
}

}  // namespace launcher
