#pragma once

#include <cstddef>
#include <cstdint>

namespace probes {

// The registers that contain addresses inside the interpreter's own data, one bit for each
// register's number. An access through them cannot fault.
using RegisterSet = uint16_t;

// The longest code that is copied.
constexpr size_t kMostCopied = 160;

// The length in bytes of an operation's code, if a copy of it does the same at another address; 0
// if it does not, or if this is not certain. Code can be copied if all its jumps stay inside it or
// dispatch (jump through a table with an index), and if it neither calls, nor returns, nor
// accesses memory relative to itself. It must not fault either, because a runtime may handle a
// fault by the address of the code: so it only accesses memory through the registers in `safe`, and
// does not divide integers. Of the instructions (Intel SDM volume 2), those that interpreters use
// for short operations are known.
size_t copyable_length(const uint8_t* code, size_t available, RegisterSet safe);

}  // namespace probes
