#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "../core/side_file.hpp"
#include "jvm_interface.hpp"

namespace probes::hotspot {

// The names and line numbers of sampled methods. Samples contain the methods' addresses.
class MethodLines {
 public:
  // Reads those of `methods` that are still loaded.
  void read(const Jvmti& jvmti, const std::set<uint64_t>& methods);

  SourceLine line(uint64_t method, uint32_t offset) const;

 private:
  struct Method {
    std::string path;
    std::string name;
    std::vector<std::pair<int64_t, int32_t>> lines;  // first offset, line; sorted
  };

  static Method described(const Jvmti& jvmti, Object type, MethodId method);

  std::map<uint64_t, Method> found_;
};

// The address of a method, which is the target of its identifier.
uint64_t address_of(MethodId method);

}  // namespace probes::hotspot
