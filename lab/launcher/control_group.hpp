#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "descriptor.hpp"

namespace launcher {

enum class CgroupVersion { kV1 = 1, kV2 = 2 };

// A folder of a cgroup hierarchy where one controller can be used.
struct CgroupPlace {
  std::string directory;
  CgroupVersion version = CgroupVersion::kV2;
};

// The mount point of the controller's version 1 hierarchy.
std::optional<std::string> find_controller_mount(const std::string& controller);

// The group in which the launcher can make groups with this controller: its own group in the
// version 1 hierarchy if that is mounted, otherwise the nearest group above its own in version 2
// that gives the controller to its children.
std::optional<CgroupPlace> own_group(const std::string& controller);

// The folder for this controller at or below `root`. It is `root` itself if `root` is a version 2
// group with the controller. Otherwise it is the version 1 folder with the controller's name.
std::optional<CgroupPlace> group_under(const std::string& root, const std::string& controller);

// The folder for the accounting of CPU time at or below `root`: the version 1 folder `cpuacct`, or
// `root` itself in version 2, where each group counts CPU time. Without such a folder, it is the
// launcher's own group.
std::optional<CgroupPlace> accounting_place(const std::optional<std::string>& root);

// Whether two folders belong to one hierarchy. A process is in one group of each hierarchy.
bool same_hierarchy(const CgroupPlace& one, const CgroupPlace& other);

struct Throttling {
  uint64_t periods = 0;
  uint64_t throttled_periods = 0;
  uint64_t throttled_ns = 0;
};

// The throttling in a group's cpu.stat, for both versions; nothing if the file does not contain
// it.
std::optional<Throttling> read_throttling(const CgroupPlace& place);

// The time for which the CPU quotas of the launcher's own group and of its ancestors throttled
// their members; nothing if no group reports it.
std::optional<uint64_t> ambient_throttled_ns();

// The CPU time of all members of a group so far, including members that ended.
std::optional<uint64_t> read_used_ns(const CgroupPlace& place);

// Removes the empty groups of launchers that have ended.
void remove_stale_groups(const CgroupPlace& parent);

// A group named runfair-PID for one controller. The destructor removes it.
class ControlGroup {
 public:
  // Returns nothing and sets `error` if the group cannot be made.
  static std::optional<ControlGroup> create(const CgroupPlace& parent,
                                            const std::string& controller, std::string& error);
  // A group that only counts CPU time: it enables no controller.
  static std::optional<ControlGroup> create_for_accounting(const CgroupPlace& parent,
                                                           std::string& error);
  ControlGroup(ControlGroup&& other) noexcept;
  ControlGroup& operator=(ControlGroup&&) = delete;
  ~ControlGroup();

  // Each function returns an empty text, or the error.
  std::string limit_memory(uint64_t bytes);
  std::string limit_cpu(double processors);

  // The descriptor of cgroup.procs: a process that writes "0" to it joins the group.
  int membership() const { return membership_.number(); }
  CgroupVersion version() const { return place_.version; }
  const CgroupPlace& place() const { return place_; }

  uint64_t oom_kills() const;
  // The value of memory.peak, which only version 2 has (Linux 5.19).
  std::optional<uint64_t> peak_bytes() const;

 private:
  explicit ControlGroup(CgroupPlace place) : place_(std::move(place)) {}
  // Makes the folder and opens its list of members.
  static std::optional<ControlGroup> make(const CgroupPlace& parent, std::string& error);
  std::string write(const std::string& file, const std::string& text) const;

  CgroupPlace place_;
  Descriptor membership_;
};

}  // namespace launcher
