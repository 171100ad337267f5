#pragma once

#include <cstdint>
#include <vector>

#include "thunk.hpp"

namespace probes {

// An interpreter's table of operations: `length` addresses of code; and, if the compiler made one,
// a second table of 32-bit offsets from its own place, which leads to the same operations.
struct DispatchTable {
  uint64_t address = 0;
  int length = 0;
  uint64_t twin = 0;
  int twin_length = 0;
};

// Thunks in the place of a table's entries. While it is attached, every dispatch goes through them.
class Interposition {
 public:
  // Each returns an error for people, or nullptr. If attaching fails, nothing was changed.
  const char* attach(const DispatchTable& table, Mode mode);
  const char* detach();

  bool attached() const { return attached_; }
  // Whether the table is as it was found, byte by byte.
  bool restored() const;

 private:
  const char* write(const std::vector<uint64_t>& entries, const std::vector<int32_t>& offsets);

  DispatchTable table_;
  std::vector<uint64_t> entries_;
  std::vector<int32_t> offsets_;
  bool attached_ = false;
};

}  // namespace probes
