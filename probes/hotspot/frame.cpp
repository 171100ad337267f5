#include "frame.hpp"

#include <sys/prctl.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "../core/memory.hpp"

namespace probes::hotspot {

namespace {

// Slots of an interpreted frame, from rbp (frame_x86.hpp).
constexpr uint64_t kMethodSlot = 3 * 8, kInstructionSlot = 8 * 8;
// The number of frames that are searched for a bytecode, from the virtual machine's code on. The
// first is the bytecode's own frame, or the frame of a native method that the second called.
constexpr int kMostFrames = 2;
// The slot of the return address, and of the call's wrapper in the frame of a call from native
// code.
constexpr uint64_t kReturnSlot = 8, kWrapperSlot = 6 * 8;
// Between two callers there are at most a frame of native code and a frame of a call from it.
constexpr int kMostChained = 3 * Callers::kMost;

VirtualMachine machine;
const Interposition* interposition;
bool interpreted_only;

template <typename Value>
bool read(uint64_t address, Value& value) {
  return read_memory(address, &value, sizeof value);
}

// What the frames of a sample are read from. Frames are neighbours in the stack, and a recursive
// method occurs in many of them.
struct Memory {
  MemoryReader stack, methods, const_methods;
};

bool bytecode_of(Memory& memory, uint64_t method, uint64_t& begin, uint16_t& size) {
  uint64_t const_method;
  if (!memory.methods.read(method + machine.const_method_of_method, const_method)) return false;
  if (!memory.const_methods.read(const_method + machine.code_size_of_const_method, size))
    return false;
  begin = const_method + machine.const_method_bytes;
  return true;
}

// Sets `place` if `instruction` belongs to the method of the frame. Returns whether it does.
bool locate(Memory& memory, uint64_t frame, uint64_t instruction, Place& place) {
  uint64_t method, begin;
  uint16_t size;
  if (!memory.stack.read(frame - kMethodSlot, method) || !bytecode_of(memory, method, begin, size))
    return false;
  if (instruction < begin || instruction >= begin + size) return false;
  place.code = method;
  place.offset = static_cast<uint32_t>(instruction - begin);
  return true;
}

// Adds the method of an interpreted frame. Returns false if this is no such frame, or if there is
// no room. Native methods have no bytecode, and are left out.
bool add(Memory& memory, uint64_t frame, Callers& callers) {
  uint64_t instruction, method, begin;
  uint16_t size;
  Place place;
  if (memory.stack.read(frame - kInstructionSlot, instruction) &&
      locate(memory, frame, instruction, place))
    return callers.add(place.code);
  return memory.stack.read(frame - kMethodSlot, method) &&
         bytecode_of(memory, method, begin, size) && size == 0;
}

// Adds the callers of the method of an interpreted frame.
void follow(Memory& memory, uint64_t frame, Callers& callers) {
  for (int at = 0; at < kMostChained; ++at) {
    uint64_t link, came_from;
    if (!memory.stack.read(frame, link) || !memory.stack.read(frame + kReturnSlot, came_from))
      return callers.truncate();
    if (came_from == machine.call_stub_return) {
      uint64_t wrapper, stack;
      if (!memory.stack.read(link - kWrapperSlot, wrapper) ||
          !read(wrapper + machine.last_java_sp_of_wrapper, stack) ||
          !read(wrapper + machine.last_java_fp_of_wrapper, link))
        return callers.truncate();
      if (stack == 0) return;  // the thread's first frame
    } else if (!machine.interpreter.holds(came_from)) {
      return callers.truncate();
    }
    frame = link;
    if (!add(memory, frame, callers)) return callers.truncate();
  }
  callers.truncate();
}

// The place of a thunk's operation, which has not begun, or is a copy. A copy does not remove its
// frame, but it advances r13.
Place in_thunk(const ThreadState& state, const Thunk& thunk, const Interrupted& interrupted,
               Callers& callers) {
  const bool begins = interrupted.instruction < thunk.copy;
  Memory memory;
  Place place;
  place.operation = static_cast<uint16_t>(thunk.operation);
  if (locate(memory, interrupted.frame, begins ? interrupted.r13 : state.mark_instruction, place))
    follow(memory, interrupted.frame, callers);
  else
    callers.truncate();
  return place;
}

// As `marked` below. If the operation has removed its frame, the interrupted frame is its caller's.
void follow_marked(Memory& memory, const ThreadState& state, const Place& place,
                   uint64_t interrupted_frame, Callers& callers) {
  if (place.code != 0) return follow(memory, state.mark_frame, callers);
  if (interrupted_frame == state.mark_frame || !add(memory, interrupted_frame, callers))
    return callers.truncate();
  follow(memory, interrupted_frame, callers);
}

Place marked(Memory& memory, const ThreadState& state) {
  Place place;
  place.operation = static_cast<uint16_t>(state.mark - 1);
  locate(memory, state.mark_frame, state.mark_instruction, place);
  return place;
}

Place outside(int part) {
  Place place;
  place.operation = static_cast<uint16_t>(part);
  return place;
}

// The method whose compiled code is at the address; 0 if it is other code, or unknown.
uint64_t compiled_method_at(uint64_t address) {
  constexpr uint8_t kFree = 0xff;
  const auto heap = std::find_if(std::begin(machine.code_heaps), std::end(machine.code_heaps),
                                 [&](const CodeHeap& one) { return one.code.holds(address); });
  if (heap == std::end(machine.code_heaps)) return 0;
  MemoryReader memory;
  uint64_t segment = (address - heap->code.begin) >> heap->shift, name, method;
  uint8_t back;
  do {
    if (!memory.read(heap->map + segment, back) || back == kFree || back > segment) return 0;
    segment -= back;
  } while (back != 0);
  const uint64_t blob = heap->code.begin + (segment << heap->shift) + machine.block_header_bytes;
  char kind[8];
  if (!read(blob + machine.name_of_blob, name) || !read(name, kind)) return 0;
  const bool compiled =
      memcmp(kind, "nmethod", sizeof kind) == 0 || memcmp(kind, "native nmethod", sizeof kind) == 0;
  return compiled && read(blob + machine.method_of_blob, method) ? method : 0;
}

// Its function is the first caller. The functions that called compiled code are unknown.
Place in_compiled_code(uint64_t at, Callers& callers) {
  if (const uint64_t method = compiled_method_at(at)) {
    callers.add(method);
    callers.truncate();
  }
  return outside(kCompiled);
}

// The place of a thread that executes no bytecode, by the names of HotSpot's own threads.
Place of_own_thread() {
  char name[16] = {};
  prctl(PR_GET_NAME, name);
  for (const char* beginning : {"C1 ", "C2 "})
    if (strncmp(name, beginning, strlen(beginning)) == 0) return outside(kCompiler);
  for (const char* beginning : {"GC ", "G1 ", "ZWorker", "ZDriver", "ZDirector", "XWorker",
                                "XDriver", "XDirector", "Shenandoah"})
    if (strncmp(name, beginning, strlen(beginning)) == 0) return outside(kCollector);
  return outside(kOutside);
}

// The bytecode of the interpreted frame that called the current code of this thread.
bool of_caller(const ThreadState& state, uint64_t frame, Place& place, Callers& callers) {
  Memory memory;
  for (int at = 0; at < kMostFrames; ++at) {
    uint64_t instruction;
    uint8_t operation;
    if (frame == state.mark_frame) {
      place = marked(memory, state);
      follow_marked(memory, state, place, frame, callers);
      return true;
    }
    if (memory.stack.read(frame - kInstructionSlot, instruction) &&
        locate(memory, frame, instruction, place) && read(instruction, operation)) {
      place.operation = operation;
      follow(memory, frame, callers);
      return true;
    }
    if (!memory.stack.read(frame, frame)) return false;
  }
  return false;
}

}  // namespace

const char* part_name(int part) {
  static constexpr const char* kNames[] = {"virtual machine", "compiled code", "JIT compiler",
                                           "garbage collector"};
  return part >= kOutside && part < kParts ? kNames[part - kOutside] : "";
}

void use_frames(const VirtualMachine& given, const Interposition& thunks, bool interpreted) {
  machine = given;
  interposition = &thunks;
  interpreted_only = interpreted;
}

Place sampled_place(const ThreadState& state, const Interrupted& interrupted, Callers& callers) {
  const uint64_t at = interrupted.instruction;
  if (const Thunk* thunk = interposition->thunk_at(at))
    return in_thunk(state, *thunk, interrupted, callers);
  const auto marked_with_callers = [&] {
    Memory memory;
    const Place place = marked(memory, state);
    follow_marked(memory, state, place, interrupted.frame, callers);
    return place;
  };
  if (state.mark == 0) {
    // In a process that was entered late, a thread may still be in compiled code.
    const bool compiled = !interpreted_only && machine.code_cache.holds(at);
    if (compiled && !machine.interpreter.holds(at)) return in_compiled_code(at, callers);
    return of_own_thread();
  }
  if (machine.interpreter.holds(at)) return marked_with_callers();
  // Without compiled code, this range contains only stubs of the interpreter.
  if (machine.code_cache.holds(at))
    return interpreted_only ? marked_with_callers() : in_compiled_code(at, callers);
  uint64_t stack = 0, frame = 0;
  const uint64_t java_thread = state.runtime_thread;
  if (java_thread != 0 && read(java_thread + machine.last_java_sp_of_thread, stack) && stack != 0 &&
      read(java_thread + machine.last_java_fp_of_thread, frame)) {
    Place place;
    return of_caller(state, frame, place, callers) ? place : outside(kOutside);
  }
  // This is a leaf call, so the frame has not been left.
  return interpreted_only ? marked_with_callers() : outside(kOutside);
}

uint16_t code_size_of(uint64_t method) {
  uint64_t begin;
  uint16_t size;
  Memory memory;
  return bytecode_of(memory, method, begin, size) ? size : uint16_t{0};
}

}  // namespace probes::hotspot
