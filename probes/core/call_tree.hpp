#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace probes {

// The callers of a sampled function, the innermost first. A caller is the runtime's address of its
// code, as in `Place::code`.
class Callers {
 public:
  static constexpr int kMost = 64;

  // Returns false if there is no room. The outer callers are then missing.
  bool add(uint64_t function) {
    if (count_ == kMost) {
      complete_ = false;
      return false;
    }
    functions_[count_++] = function;
    return true;
  }
  // The outer callers exist and are not known.
  void truncate() { complete_ = false; }

  int count() const { return count_; }
  uint64_t operator[](int at) const { return functions_[at]; }
  bool complete() const { return complete_; }

 private:
  uint64_t functions_[kMost];
  int count_ = 0;
  bool complete_ = true;
};

// A function with a certain path of callers. `caller` is the index of its own caller.
struct Call {
  uint64_t function;
  uint32_t caller;
};

// The call paths of all samples, as a tree in which each path occurs once.
class CallTree {
 public:
  // Two calls have no function: the bottom of complete paths, and of paths whose outer callers are
  // missing.
  static constexpr uint32_t kBottom = 0, kTruncated = 1, kFirst = 2;

  // Empties the tree. Returns false if there is no memory.
  bool renew();
  // The index of the innermost caller. Usable in a signal handler, by one thread at a time. If the
  // tree is full, all callers are missing.
  uint32_t index_of(const Callers& callers);
  // All calls, each after its caller.
  std::vector<Call> calls() const;

 private:
  uint32_t index_of(const Call& call);

  Call* calls_ = nullptr;
  uint32_t* slots_ = nullptr;
  uint32_t used_ = 0;
};

}  // namespace probes
