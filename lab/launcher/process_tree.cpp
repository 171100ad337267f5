#include "process_tree.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "kernel_file.hpp"

namespace launcher {
namespace {

// The limit of walks before the remaining processes are killed. It stops a program that forks
// endlessly.
constexpr int kStopWalks = 16;

// The kernel's list of children (CONFIG_PROC_CHILDREN) needs only one small file for each thread.
bool children_are_listed() {
  static const bool listed = [] {
    std::string self = std::to_string(getpid());
    return access(("/proc/" + self + "/task/" + self + "/children").c_str(), R_OK) == 0;
  }();
  return listed;
}

void append_listed_children(pid_t pid, std::vector<pid_t>& found) {
  std::string tasks = "/proc/" + std::to_string(pid) + "/task";
  for (pid_t thread : numbered_entries(tasks)) {
    auto text = read_kernel_file(tasks + "/" + std::to_string(thread) + "/children");
    if (!text) continue;
    for (std::string_view word : words(*text))
      if (auto child = parse_number(word)) found.push_back(static_cast<pid_t>(*child));
  }
}

std::unordered_multimap<pid_t, pid_t> children_by_parent() {
  std::unordered_multimap<pid_t, pid_t> children;
  for (pid_t pid : numbered_entries("/proc"))
    if (auto status = read_status(pid)) children.emplace(status->parent, pid);
  return children;
}

}  // namespace

std::optional<ProcessStatus> read_status(pid_t pid) {
  auto text = read_kernel_file("/proc/" + std::to_string(pid) + "/stat");
  if (!text) return std::nullopt;
  // The name before the fields may contain spaces and brackets.
  size_t name_end = text->rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  auto fields = words(std::string_view(*text).substr(name_end + 1));
  // proc_pid_stat(5) counts fields from 1. The first word here is the third field.
  auto field = [&](size_t number) { return parse_number(fields[number - 3]).value_or(0); };
  if (fields.size() < 20) return std::nullopt;
  return ProcessStatus{fields[0][0], static_cast<pid_t>(field(4)), field(11), field(20)};
}

std::vector<pid_t> descendants(pid_t root) {
  std::vector<pid_t> found;
  std::unordered_set<pid_t> seen{root};
  auto keep_new = [&](size_t from) {
    auto known = [&](pid_t pid) { return !seen.insert(pid).second; };
    found.erase(std::remove_if(found.begin() + static_cast<ptrdiff_t>(from), found.end(), known),
                found.end());
  };
  auto scanned =
      children_are_listed() ? std::unordered_multimap<pid_t, pid_t>() : children_by_parent();
  pid_t parent = root;
  for (size_t next = 0;; ++next) {
    size_t from = found.size();
    if (children_are_listed()) {
      append_listed_children(parent, found);
    } else {
      auto [begin, end] = scanned.equal_range(parent);
      for (auto child = begin; child != end; ++child) found.push_back(child->second);
    }
    keep_new(from);
    if (next == found.size()) return found;
    parent = found[next];
  }
}

std::vector<pid_t> running(const std::vector<pid_t>& processes) {
  std::vector<pid_t> found;
  for (pid_t pid : processes) {
    auto status = read_status(pid);
    // If a process's first thread has ended, the state is zombie although other threads still run.
    if (status && status->state != 'X' && (status->state != 'Z' || status->threads > 1))
      found.push_back(pid);
  }
  return found;
}

void kill_descendants(pid_t root) {
  std::unordered_set<pid_t> stopped;
  std::vector<pid_t> members;
  for (int walk = 0; walk < kStopWalks; ++walk) {
    members = descendants(root);
    bool grew = false;
    for (pid_t pid : members) {
      if (!stopped.insert(pid).second) continue;
      grew = true;
      kill(pid, SIGSTOP);
    }
    if (!grew) break;
  }
  for (pid_t pid : members) kill(pid, SIGKILL);
}

}  // namespace launcher
