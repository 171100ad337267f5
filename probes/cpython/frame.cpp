#include "frame.hpp"

#include <dlfcn.h>

#include "../core/memory.hpp"

namespace probes::cpython {

namespace {

constexpr uint64_t kTags = 3;  // tag bits of a reference on the stack (CPython 3.14 and newer)
constexpr uint64_t kLongestCode = uint64_t{1} << 31;

Layout layout;
bool known;

template <typename Value>
bool read(uint64_t address, int32_t offset, Value& value) {
  return read_memory(address + static_cast<uint64_t>(offset), &value, sizeof value);
}

uint64_t this_thread() {
  static const auto state_of_this_thread =
      reinterpret_cast<uint64_t (*)()>(dlsym(RTLD_DEFAULT, "PyGILState_GetThisThreadState"));
  return state_of_this_thread == nullptr ? 0 : state_of_this_thread();
}

struct Instruction {
  uint64_t code;
  uint64_t offset;
  uint64_t address;
};

bool current(Instruction& found) {
  uint64_t holder = this_thread();
  if (!known || holder == 0) return false;
  if (layout.c_frame >= 0 && !read(holder, layout.c_frame, holder)) return false;
  uint64_t frame;
  if (!read(holder, layout.frame, frame) || frame == 0) return false;
  if (!read(frame, layout.code, found.code) || found.code == 0) return false;
  found.code &= ~kTags;
  if (layout.bytecode >= 0) {
    int32_t index;
    uint64_t bytes;
    if (!read(frame, layout.instruction, index)) return false;
    if (!read(found.code, layout.bytecode, bytes)) return false;
    found.offset = index < 0 ? 0 : static_cast<uint64_t>(index) * 2;
    found.address = bytes + static_cast<uint64_t>(layout.first) + found.offset;
    return true;
  }
  if (!read(frame, layout.instruction, found.address)) return false;
  found.offset = found.address - found.code - static_cast<uint64_t>(layout.first);
  return found.offset < kLongestCode;
}

}  // namespace

void use_layout(const Layout& given) {
  layout = given;
  known = true;
  this_thread();  // initialised here, because a signal handler must not do it
}

Place current_instruction() {
  Instruction found;
  uint8_t operation;
  if (!current(found) || !read(found.address, 0, operation)) return {};
  return {found.code, static_cast<uint32_t>(found.offset), operation};
}

Place sampled_instruction(const ThreadState& state, const Interrupted& interrupted) {
  if (state.mark == 0) return {};
  Place place;
  place.operation = static_cast<uint16_t>(state.mark - 1);
  Instruction found;
  if (!current(found)) return place;
  place.code = found.code;
  place.offset = static_cast<uint32_t>(found.offset);
  uint8_t operation;
  if (interrupted.stack > state.mark_frame && read(found.address, 0, operation))
    place.operation = operation;
  return place;
}

}  // namespace probes::cpython
