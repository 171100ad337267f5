#pragma once

#include <cstddef>
#include <cstdint>

#include "memory.hpp"

namespace probes {

// The registers that contain addresses inside the interpreter's own data, one bit for each
// register's number. An access through them cannot fault.
using RegisterSet = uint16_t;

// The longest code that is copied.
constexpr size_t kMostCopied = 160;

struct CopyableCode {
  size_t length = 0;  // in bytes; 0: do not copy it
  // Whether it always dispatches through the given table. Otherwise it may go on to code of the
  // same operation that is not in the copy, such as HotSpot's code of wide bytecodes.
  bool stays_in_table = false;
};

// The code of an operation, if a copy of it does the same at another address; nothing if it does
// not, or if this is not certain. Code can be copied if all its jumps stay inside it or
// dispatch (jump through a table with an index), and if it neither calls, nor returns, nor
// accesses memory relative to itself. It must not fault either, because a runtime may handle a
// fault by the address of the code: so it only accesses memory through the registers in `safe`, and
// does not divide integers. Of the instructions (Intel SDM volume 2), those that interpreters use
// for short operations are known. (A library for disassembly knows many more. Each of them would
// need a decision whether it may be copied, and the probed process would have to load the library.)
CopyableCode copyable_code(const uint8_t* code, size_t available, RegisterSet safe,
                           const Segment& table);

}  // namespace probes
