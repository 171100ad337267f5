#include "frame.hpp"

#include <dlfcn.h>

#include "../core/memory.hpp"

namespace probes::cpython {

namespace {

constexpr uint64_t kTags = 3;  // tag bits of a reference on the stack (CPython 3.14 and newer)
constexpr uint64_t kLongestCode = uint64_t{1} << 31;
// Frames of these kinds separate the calls of the interpreter (_frameowner of CPython 3.12 and
// newer). They run no Python.
constexpr uint8_t kFirstSeparator = 3;
// The kind of a generator's frame (CPython 3.11 and newer).
constexpr uint8_t kOfGenerator = 1;
// The places of an object's type and, in a code object, of the length of its bytecode in units of
// two bytes (CPython 3.11 and newer).
constexpr uint64_t kType = 8, kLength = 16;
// There is at most one separating frame for each caller.
constexpr int kMostFrames = 2 * Callers::kMost;

Layout layout;
bool known;

template <typename Value>
bool read_field(uint64_t address, int32_t offset, Value& value) {
  return read_memory(address + static_cast<uint64_t>(offset), &value, sizeof value);
}

uint64_t this_thread() {
  static const auto state_of_this_thread =
      reinterpret_cast<uint64_t (*)()>(dlsym(RTLD_DEFAULT, "PyGILState_GetThisThreadState"));
  return state_of_this_thread == nullptr ? 0 : state_of_this_thread();
}

struct Instruction {
  uint64_t frame;
  uint64_t code;
  uint64_t offset;
  uint64_t address;
};

bool current(Instruction& found) {
  uint64_t holder = this_thread();
  if (!known || holder == 0) return false;
  if (layout.c_frame >= 0 && !read_field(holder, layout.c_frame, holder)) return false;
  uint64_t& frame = found.frame;
  if (!read_field(holder, layout.frame, frame) || frame == 0) return false;
  if (!read_field(frame, layout.code, found.code) || found.code == 0) return false;
  found.code &= ~kTags;
  if (layout.bytecode >= 0) {
    int32_t index;
    uint64_t bytes;
    if (!read_field(frame, layout.instruction, index)) return false;
    if (!read_field(found.code, layout.bytecode, bytes)) return false;
    found.offset = index < 0 ? 0 : static_cast<uint64_t>(index) * 2;
    found.address = bytes + static_cast<uint64_t>(layout.first) + found.offset;
    return true;
  }
  if (!read_field(frame, layout.instruction, found.address)) return false;
  found.offset = found.address - found.code - static_cast<uint64_t>(layout.first);
  return found.offset < kLongestCode;
}

// The frames from a function's caller outwards.
class Chain {
 public:
  // Adds the functions of all frames that `frame` leads to. A frame that is being made or discarded
  // ends the chain. A generator has a caller while it runs: without one, it begins or ends.
  void follow(uint64_t frame, Callers& callers) {
    uint8_t owner = 0;
    if (layout.owner >= 0 && !read(frame, layout.owner, owner)) return callers.truncate();
    for (int at = 0; at < kMostFrames; ++at) {
      if (!read(frame, layout.previous, frame)) return callers.truncate();
      if (frame == 0) {
        if (owner == kOfGenerator) callers.truncate();
        return;
      }
      if (layout.owner >= 0 && !read(frame, layout.owner, owner)) return callers.truncate();
      if (owner >= kFirstSeparator) continue;
      uint64_t code;
      if (!read(frame, layout.code, code)) return callers.truncate();
      code &= ~kTags;
      if (!runs(frame, code)) return callers.truncate();
      if (prepares_) continue;
      if (!callers.add(code)) return;
    }
    callers.truncate();
  }

 private:
  template <typename Value>
  bool read(uint64_t frame, int32_t offset, Value& value) {
    return frames_.read(frame + static_cast<uint64_t>(offset), value);
  }

  // Whether the frame runs an instruction of `code`, and `code` is a code object. Sets `prepares_`
  // if the instruction comes before those of the source. Only the interpreter's own code objects
  // call from there: for example, the one that checks the result of `__init__`.
  bool runs(uint64_t frame, uint64_t code) {
    struct {
      uint64_t type;
      uint64_t length;
    } head;
    static_assert(kLength == kType + sizeof head.type);
    if (code != confirmed_ && !read_memory(code + kType, &head, sizeof head)) return false;
    if (code != confirmed_) {
      if (head.type != layout.code_type) return false;
      if (layout.first_traced >= 0 && !read_field(code, layout.first_traced, first_traced_))
        return false;
      confirmed_ = code;
      length_ = head.length;
    }
    if (layout.bytecode >= 0) {
      int32_t index;
      return read(frame, layout.instruction, index) && index >= 0;
    }
    uint64_t instruction;
    if (!read(frame, layout.instruction, instruction)) return false;
    const uint64_t offset = instruction - code - static_cast<uint64_t>(layout.first);
    prepares_ = offset < 2 * static_cast<uint64_t>(first_traced_);
    return offset < 2 * length_;
  }

  MemoryReader frames_;
  uint64_t confirmed_ = 0;
  uint64_t length_ = 0;
  int32_t first_traced_ = 0;
  bool prepares_ = false;
};

}  // namespace

void use_layout(const Layout& given) {
  layout = given;
  known = true;
  this_thread();  // initialised here, because a signal handler must not do it
}

Place current_instruction() {
  Instruction found;
  uint8_t operation;
  if (!current(found) || !read_field(found.address, 0, operation)) return {};
  return {found.code, static_cast<uint32_t>(found.offset), operation};
}

Callers current_callers() {
  Callers callers;
  Instruction found;
  if (current(found)) Chain().follow(found.frame, callers);
  return callers;
}

Place sampled_instruction(const ThreadState& state, const Interrupted& interrupted,
                          Callers& callers) {
  if (state.mark == 0) return {};
  Place place;
  place.operation = static_cast<uint16_t>(state.mark - 1);
  Instruction found;
  if (!current(found)) return place;
  Chain().follow(found.frame, callers);
  place.code = found.code;
  place.offset = static_cast<uint32_t>(found.offset);
  uint8_t operation;
  if (interrupted.stack > state.mark_frame && read_field(found.address, 0, operation))
    place.operation = operation;
  return place;
}

}  // namespace probes::cpython
