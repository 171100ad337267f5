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

// Where the controller's version 1 hierarchy is mounted.
std::optional<std::string> find_controller_mount(const std::string& controller);

// The launcher's own group of that controller: version 1 where it is mounted, else version 2.
std::optional<CgroupPlace> own_group(const std::string& controller);

// Below `root`: itself where it is a version 2 group with that controller, else its folder named
// like the controller, of version 1.
std::optional<CgroupPlace> group_under(const std::string& root, const std::string& controller);

struct Throttling {
  uint64_t periods = 0;
  uint64_t throttled_periods = 0;
  uint64_t throttled_ns = 0;
};

// cpu.stat of a group, of either version; nothing where it does not tell.
std::optional<Throttling> read_throttling(const CgroupPlace& place);

// Removes the empty groups of launchers that are gone.
void remove_stale_groups(const CgroupPlace& parent);

// A group runfair-PID of one controller, removed at the end of its life.
class ControlGroup {
 public:
  // Where the group cannot be made, `error` says why and nothing is returned.
  static std::optional<ControlGroup> create(const CgroupPlace& parent,
                                            const std::string& controller, std::string& error);
  ControlGroup(ControlGroup&& other) noexcept;
  ControlGroup& operator=(ControlGroup&&) = delete;
  ~ControlGroup();

  // Each returns an empty text, or what went wrong.
  std::string limit_memory(uint64_t bytes);
  std::string limit_cpu(double processors);

  // The descriptor of cgroup.procs: whoever writes "0" there joins.
  int membership() const { return membership_.number(); }
  CgroupVersion version() const { return place_.version; }
  const CgroupPlace& place() const { return place_; }

  uint64_t oom_kills() const;
  // memory.peak, of version 2 only (Linux 5.19).
  std::optional<uint64_t> peak_bytes() const;

 private:
  explicit ControlGroup(CgroupPlace place) : place_(std::move(place)) {}
  std::string write(const std::string& file, const std::string& text) const;

  CgroupPlace place_;
  Descriptor membership_;
};

}  // namespace launcher
