#include "control_group.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <utility>

#include "clock.hpp"
#include "kernel_file.hpp"

namespace launcher {
namespace {

constexpr std::string_view kPrefix = "runfair-";
// The kernel's default period, for both versions (Documentation/scheduler/sched-bwc.rst).
constexpr uint64_t kPeriodUs = 100'000;

// The number of this process's PID namespace. A PID is unique only within its namespace, but hosts
// of a simulated cluster and containers may share cgroups.
std::string pid_namespace() {
  struct stat found{};
  return std::to_string(stat("/proc/self/ns/pid", &found) == 0 ? found.st_ino : 0);
}

std::string name_of(pid_t launcher) {
  return std::string(kPrefix) + pid_namespace() + "-" + std::to_string(launcher);
}

std::vector<std::string_view> cut(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    size_t end = std::min(text.find(separator), text.size());
    parts.push_back(text.substr(0, end));
    if (end == text.size()) return parts;
    text.remove_prefix(end + 1);
  }
}

bool lists(std::string_view list, char separator, std::string_view item) {
  auto parts = cut(list, separator);
  return std::find(parts.begin(), parts.end(), item) != parts.end();
}

struct Mount {
  std::string root;  // the folder of the hierarchy that is mounted at `point`
  std::string point;
};

// Format in proc_pid_mountinfo(5): "id parent dev root point options … - type source
// super-options". An empty controller stands for version 2.
std::optional<Mount> find_mount(const std::string& controller) {
  auto text = read_kernel_file("/proc/self/mountinfo");
  if (!text) return std::nullopt;
  for (std::string_view line : cut(*text, '\n')) {
    size_t dash = line.find(" - ");
    if (dash == std::string_view::npos) continue;
    auto left = words(line.substr(0, dash));
    auto right = words(line.substr(dash + 3));
    if (left.size() < 5 || right.size() < 3) continue;
    bool found = controller.empty() ? right[0] == "cgroup2"
                                    : right[0] == "cgroup" && lists(right[2], ',', controller);
    if (found) return Mount{std::string(left[3]), std::string(left[4])};
  }
  return std::nullopt;
}

// The launcher's own folder. Lines of /proc/self/cgroup have the form "number:controllers:path".
std::optional<std::string> own_directory(const std::string& controller) {
  auto mount = find_mount(controller);
  auto text = read_kernel_file("/proc/self/cgroup");
  if (!mount || !text) return std::nullopt;
  for (std::string_view line : cut(*text, '\n')) {
    auto parts = cut(line, ':');
    if (parts.size() < 3 || !lists(parts[1], ',', controller)) continue;
    std::string_view path = line.substr(parts[0].size() + parts[1].size() + 2);
    // In a container, the mount may show a subfolder of the hierarchy as its root.
    if (mount->root != "/" && path.starts_with(mount->root)) path.remove_prefix(mount->root.size());
    return path == "/" ? mount->point : mount->point + std::string(path);
  }
  return std::nullopt;
}

bool names(const std::string& file, const std::string& controller) {
  auto text = read_kernel_file(file);
  if (!text) return false;
  auto found = words(*text);
  return std::find(found.begin(), found.end(), controller) != found.end();
}

bool has_controller(const std::string& directory, const std::string& controller) {
  return names(directory + "/cgroup.controllers", controller);
}

bool is_directory(const std::string& path) {
  struct stat about{};
  return stat(path.c_str(), &about) == 0 && S_ISDIR(about.st_mode);
}

// In version 2, a group with processes of its own cannot give a controller to its children, and the
// launcher's own group has processes. This is the nearest group above it that gives the controller
// to its children, or the root group, which may do both.
std::optional<CgroupPlace> giving_group(const std::string& controller) {
  auto mount = find_mount("");
  auto own = own_directory("");
  if (!mount || !own || !is_directory(*own)) return std::nullopt;
  std::filesystem::path directory = *own;
  while (directory != mount->point && directory.has_relative_path()) {
    if (names(directory / "cgroup.subtree_control", controller) &&
        access(directory.c_str(), W_OK) == 0)
      return CgroupPlace{directory, CgroupVersion::kV2};
    directory = directory.parent_path();
  }
  if (!has_controller(mount->point, controller)) return std::nullopt;
  return CgroupPlace{mount->point, CgroupVersion::kV2};
}

}  // namespace

std::optional<std::string> find_controller_mount(const std::string& controller) {
  auto mount = find_mount(controller);
  if (!mount) return std::nullopt;
  return mount->point;
}

std::optional<CgroupPlace> own_group(const std::string& controller) {
  if (auto directory = own_directory(controller); directory && is_directory(*directory))
    return CgroupPlace{*directory, CgroupVersion::kV1};
  return giving_group(controller);
}

std::optional<CgroupPlace> accounting_place(const std::optional<std::string>& root) {
  if (root) {
    if (auto place = group_under(*root, "cpuacct")) return place;
    if (access((*root + "/cgroup.controllers").c_str(), F_OK) == 0)
      return CgroupPlace{*root, CgroupVersion::kV2};
  }
  if (auto directory = own_directory("cpuacct"); directory && is_directory(*directory))
    return CgroupPlace{*directory, CgroupVersion::kV1};
  if (auto directory = own_directory(""); directory && is_directory(*directory))
    return CgroupPlace{*directory, CgroupVersion::kV2};
  return std::nullopt;
}

bool same_hierarchy(const CgroupPlace& one, const CgroupPlace& other) {
  struct stat first{};
  struct stat second{};
  return stat(one.directory.c_str(), &first) == 0 && stat(other.directory.c_str(), &second) == 0 &&
         first.st_dev == second.st_dev;
}

std::optional<CgroupPlace> group_under(const std::string& root, const std::string& controller) {
  if (has_controller(root, controller)) return CgroupPlace{root, CgroupVersion::kV2};
  std::string directory = root + "/" + controller;
  if (access((directory + "/cgroup.procs").c_str(), F_OK) == 0)
    return CgroupPlace{directory, CgroupVersion::kV1};
  return std::nullopt;
}

std::optional<Throttling> read_throttling(const CgroupPlace& place) {
  auto text = read_kernel_file(place.directory + "/cpu.stat");
  if (!text) return std::nullopt;
  auto periods = field_after(*text, "nr_periods");
  auto throttled_periods = field_after(*text, "nr_throttled");
  auto throttled = place.version == CgroupVersion::kV1 ? field_after(*text, "throttled_time")
                                                       : field_after(*text, "throttled_usec");
  if (!periods || !throttled_periods || !throttled) return std::nullopt;
  uint64_t unit_ns = place.version == CgroupVersion::kV1 ? 1 : kNsPerUs;
  return Throttling{*periods, *throttled_periods, *throttled * unit_ns};
}

std::optional<uint64_t> ambient_throttled_ns() {
  // An empty controller stands for version 2.
  for (const std::string controller : {"cpu", ""}) {
    auto mount = find_mount(controller);
    auto own = own_directory(controller);
    if (!mount || !own || !is_directory(*own)) continue;
    auto version = controller.empty() ? CgroupVersion::kV2 : CgroupVersion::kV1;
    std::optional<uint64_t> sum_ns;
    std::filesystem::path directory = *own;
    for (;; directory = directory.parent_path()) {
      if (auto found = read_throttling({directory, version}))
        sum_ns = sum_ns.value_or(0) + found->throttled_ns;
      if (directory == mount->point || !directory.has_relative_path()) return sum_ns;
    }
  }
  return std::nullopt;
}

std::optional<uint64_t> read_used_ns(const CgroupPlace& place) {
  if (place.version == CgroupVersion::kV1)
    return read_kernel_number(place.directory + "/cpuacct.usage");
  auto text = read_kernel_file(place.directory + "/cpu.stat");
  if (!text) return std::nullopt;
  auto used = field_after(*text, "usage_usec");
  if (!used) return std::nullopt;
  return *used * kNsPerUs;
}

std::optional<ControlGroup> ControlGroup::create(const CgroupPlace& parent,
                                                 const std::string& controller,
                                                 std::string& error) {
  if (parent.version == CgroupVersion::kV2) {
    // The kernel refuses this if the parent has processes of its own. An error is ignored here: if
    // the controller is not enabled, the missing file below shows it.
    write_kernel_file(parent.directory + "/cgroup.subtree_control", "+" + controller);
  }
  auto group = make(parent, error);
  if (!group) return std::nullopt;
  if (parent.version == CgroupVersion::kV2 &&
      !has_controller(group->place_.directory, controller)) {
    error = "the cgroup " + parent.directory + " does not give its " + controller +
            " controller to its children";
    return std::nullopt;
  }
  return group;
}

std::optional<ControlGroup> ControlGroup::create_for_accounting(const CgroupPlace& parent,
                                                                std::string& error) {
  return make(parent, error);
}

std::optional<ControlGroup> ControlGroup::make(const CgroupPlace& parent, std::string& error) {
  std::string directory = parent.directory + "/" + name_of(getpid());
  auto failed = [&](const std::string& what) {
    error = what + ": " + std::strerror(errno);
    return std::nullopt;
  };
  // In version 2, groups for several purposes share the folder.
  if (mkdir(directory.c_str(), 0755) != 0 && errno != EEXIST)
    return failed("cannot make the cgroup " + directory);
  ControlGroup group(CgroupPlace{directory, parent.version});
  group.membership_ = Descriptor(open((directory + "/cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC));
  if (!group.membership_.valid()) return failed("cannot write " + directory + "/cgroup.procs");
  return group;
}

// Removes only empty groups: rmdir refuses others. Whether a launcher of another PID namespace
// still runs is unknown: its group may be empty because its program starts soon or has just ended.
void remove_stale_groups(const CgroupPlace& parent) {
  constexpr std::chrono::hours kOld{24};
  std::error_code ignored;
  std::filesystem::directory_iterator entries(parent.directory, ignored);
  if (ignored) return;
  auto now = std::filesystem::file_time_type::clock::now();
  std::string own_names = std::string(kPrefix) + pid_namespace() + "-";
  std::vector<std::string> stale;
  for (const auto& entry : entries) {
    std::string name = entry.path().filename();
    if (!name.starts_with(kPrefix)) continue;
    bool is_stale = now - entry.last_write_time(ignored) > kOld;
    if (name.starts_with(own_names)) {
      auto number = parse_number(std::string_view(name).substr(own_names.size()));
      pid_t pid = static_cast<pid_t>(number.value_or(0));
      // One of this number would be taken for this launcher's own, with its counters.
      is_stale = pid == getpid() || (pid > 0 && kill(pid, 0) != 0 && errno == ESRCH);
    }
    if (is_stale) stale.push_back(entry.path());
  }
  for (const std::string& directory : stale) rmdir(directory.c_str());
}

ControlGroup::ControlGroup(ControlGroup&& other) noexcept
    : place_(std::exchange(other.place_, {})), membership_(std::move(other.membership_)) {}

ControlGroup::~ControlGroup() {
  if (place_.directory.empty()) return;
  membership_.close();
  // A group stays busy for a moment after its last member has been reaped.
  constexpr int kAttempts = 50;
  constexpr timespec kPause{0, 2'000'000};
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (rmdir(place_.directory.c_str()) == 0 || errno != EBUSY) return;
    nanosleep(&kPause, nullptr);
  }
}

std::string ControlGroup::write(const std::string& file, const std::string& text) const {
  std::string path = place_.directory + "/" + file;
  int error = write_kernel_file(path, text);
  return error == 0 ? "" : "cannot write " + text + " to " + path + ": " + std::strerror(error);
}

std::string ControlGroup::limit_memory(uint64_t bytes) {
  std::string limit = std::to_string(bytes);
  if (place_.version == CgroupVersion::kV1) {
    std::string error = write("memory.limit_in_bytes", limit);
    // Without this limit, memory beyond the limit would go to swap. The file exists only if swap
    // is accounted.
    if (error.empty() &&
        access((place_.directory + "/memory.memsw.limit_in_bytes").c_str(), F_OK) == 0)
      error = write("memory.memsw.limit_in_bytes", limit);
    return error;
  }
  std::string error = write("memory.max", limit);
  if (error.empty()) error = write("memory.oom.group", "1");
  if (error.empty() && access((place_.directory + "/memory.swap.max").c_str(), F_OK) == 0)
    error = write("memory.swap.max", "0");
  return error;
}

std::string ControlGroup::limit_cpu(double processors) {
  std::string quota_us = std::to_string(std::llround(processors * kPeriodUs));
  std::string period_us = std::to_string(kPeriodUs);
  if (place_.version == CgroupVersion::kV2) return write("cpu.max", quota_us + " " + period_us);
  std::string error = write("cpu.cfs_period_us", period_us);
  return error.empty() ? write("cpu.cfs_quota_us", quota_us) : error;
}

uint64_t ControlGroup::oom_kills() const {
  const char* file =
      place_.version == CgroupVersion::kV1 ? "/memory.oom_control" : "/memory.events";
  auto text = read_kernel_file(place_.directory + file);
  return text ? field_after(*text, "oom_kill").value_or(0) : 0;
}

std::optional<uint64_t> ControlGroup::peak_bytes() const {
  if (place_.version != CgroupVersion::kV2) return std::nullopt;
  return read_kernel_number(place_.directory + "/memory.peak");
}

}  // namespace launcher
