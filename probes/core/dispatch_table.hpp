#pragma once

#include <cstdint>
#include <vector>

#include "thunk.hpp"

namespace probes {

// An interpreter's table: `length` addresses of code. Entry n leads to operation n modulo
// kOperations: an operation may have several entries, as for the types of values that an
// interpreter keeps in registers. It may have a second table: a `twin` of 32-bit offsets from its
// own place, if the compiler made one; or a `copy` of the same length, which the interpreter
// dispatches through and overwrites now and then.
struct DispatchTable {
  uint64_t address = 0;
  int length = 0;
  uint64_t twin = 0;
  int twin_length = 0;
  uint64_t copy = 0;
  InterpreterRegisters registers = {};
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
  // Whether an address is one of the thunks'.
  bool holds(uint64_t address) const { return address >= code_begin_ && address < code_end_; }

 private:
  const char* write(const std::vector<uint64_t>& entries, const std::vector<int32_t>& offsets,
                    const std::vector<uint64_t>& before);

  DispatchTable table_;
  std::vector<uint64_t> entries_;
  std::vector<uint64_t> thunks_;
  std::vector<int32_t> offsets_;
  uint64_t code_begin_ = 0;
  uint64_t code_end_ = 0;
  bool attached_ = false;
};

}  // namespace probes
