#pragma once

#include <cstdint>
#include <vector>

#include "thunk.hpp"

namespace probes {

// An interpreter's table: `length` addresses of code. Entry n leads to operation n modulo
// kOperations. An operation may have several entries, for example one for each type of value in
// registers. There may be a second table. A `twin`, which some compilers make, contains 32-bit
// offsets from its own address. A `copy` has the same length; the interpreter dispatches through
// it and sometimes overwrites it.
struct DispatchTable {
  uint64_t address = 0;
  int length = 0;
  uint64_t twin = 0;
  int twin_length = 0;
  uint64_t copy = 0;
  InterpreterRegisters registers = {};
};

// Replaces a table's entries by thunks. While this is attached, every dispatch runs a thunk.
class Interposition {
 public:
  // Each function returns an error message, or nullptr. If attaching fails, nothing was changed.
  const char* attach(const DispatchTable& table, Mode mode);
  const char* detach();
  // Unmaps the thunks of a detached table. No thread may be executing them.
  void release();

  bool attached() const { return attached_; }
  // Whether the table has its original bytes.
  bool restored() const;
  // Whether an address is in the thunks.
  bool holds(uint64_t address) const { return address >= code_begin_ && address < code_end_; }
  // The thunk that contains an address, or nullptr. A signal handler may call this.
  const Thunk* thunk_at(uint64_t address) const;
  // Whether thunks execute copies of the operation's code.
  bool copies(int operation) const;

 private:
  const char* replace(const DispatchTable& table, Mode mode);
  const char* write(const std::vector<uint64_t>& entries, const std::vector<int32_t>& offsets,
                    const std::vector<uint64_t>& before);

  DispatchTable table_;
  std::vector<uint64_t> entries_;
  std::vector<uint64_t> thunks_;
  std::vector<int32_t> offsets_;
  std::vector<Thunk> written_;  // by address
  uint64_t code_begin_ = 0;
  uint64_t code_end_ = 0;
  bool attached_ = false;
};

}  // namespace probes
