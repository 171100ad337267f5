#include "frame.hpp"

#include <algorithm>

#include "../core/memory.hpp"

namespace probes::v8 {

namespace {

Engine engine;

struct Code {
  uint64_t begin;
  uint64_t end;

  bool holds(uint64_t address) const { return address >= begin && address < end; }
};
constexpr uint64_t kLongestHandler = 1 << 14;
// Room for the most callers, with V8's built-in functions between them.
constexpr size_t kMostFrames = 2 * Callers::kMost;
// V8 reads the slots of a frame only above the stack pointer that it is given.
constexpr uint64_t kSlotBytes = 8 * 8;

// The state of this thread.
struct Running {
  Isolate isolate;
  const Interposition* thunks;
  Code builtins;
  // The second copy of the builtins in Node 20. The table leads to it.
  Code handlers;
  // The code that V8 compiles, and in Node 20 the second copy of the builtins.
  Code compiled;
};
__thread Running running PROBES_STATIC_TLS;

// The machine code of the executable: functions in C++, and the builtins.
Code executable;

Place outside(int part) {
  Place place;
  place.operation = static_cast<uint16_t>(part);
  return place;
}

bool read_slot(uint64_t frame, int32_t slot, uint64_t& value) {
  const uint64_t address = frame + static_cast<uint64_t>(static_cast<int64_t>(slot));
  return read_memory(address, &value, sizeof value);
}

// The address of the marked bytecode; 0 if its frame is gone. A prefix counts as an operation of
// its own.
uint64_t marked_address(const ThreadState& state) {
  uint64_t array = 0;
  uint8_t found = 0;
  if (!read_slot(state.mark_frame, engine.bytecode_array_slot, array)) return 0;
  const uint64_t address = array + state.mark_instruction;
  const bool read = read_memory(address, &found, sizeof found);
  return read && uint64_t{found} + 1 == state.mark ? address : 0;
}

// V8's own value for the instruction of an interpreted frame. It may be old, because not all
// handlers save it. A call always saves it.
uint64_t saved_address(uint64_t frame) {
  constexpr int kSmallIntegerShift = 32;
  uint64_t array = 0, offset = 0;
  if (!read_slot(frame, engine.bytecode_array_slot, array)) return 0;
  if (!read_slot(frame, engine.bytecode_offset_slot, offset)) return 0;
  return array + (offset >> kSmallIntegerShift);
}

bool is_builtin(uint64_t address) {
  // The copy ends with the handlers, which are its last builtins.
  const Code& copied = running.handlers;
  const Code copy{copied.end - (running.builtins.end - running.builtins.begin), copied.end};
  return running.builtins.holds(address) || (copied.end != 0 && copy.holds(address));
}

bool is_compiled(uint64_t address) {
  return running.compiled.holds(address) && !is_builtin(address);
}

// Whether compiled code called the builtin that was interrupted. Code that V8 compiles while a loop
// runs takes over the frame of the interpreted function. The lowest address of code on the stack is
// the return address of the builtin.
bool compiled_code_called(const Interrupted& interrupted) {
  uint64_t words[16];
  if (!read_memory(interrupted.stack, words, sizeof words)) return false;
  for (const uint64_t word : words)
    if (is_builtin(word) || is_compiled(word)) return is_compiled(word);
  return false;
}

// The JavaScript frames of this thread, as V8's own profiler finds them: V8 follows the frame
// pointers, checks that each of them lies in the stack between `registers.stack` and the first
// frame of JavaScript, and continues across C++ by the frames that V8 itself recorded. A frame is
// the address of its bytecode, or an address in compiled code.
class Frames {
 public:
  explicit Frames(const RegisterState& registers) {
    engine.sample(running.isolate, registers, addresses_, kMostFrames, &info_);
  }
  State state() const { return info_.state; }
  size_t count() const { return info_.frames; }
  uint64_t operator[](size_t at) const { return reinterpret_cast<uintptr_t>(addresses_[at]); }

  // Adds the functions of all frames from the frame `first` outwards. Builtins and functions in C++
  // are left out.
  void add_to(Callers& callers, size_t first) const {
    for (size_t at = first; at < count(); ++at) {
      const uint64_t address = (*this)[at];
      if (executable.holds(address) || is_builtin(address)) continue;
      if (!callers.add(address)) return;
    }
    if (count() == kMostFrames) callers.truncate();
  }

 private:
  void* addresses_[kMostFrames];
  SampleInfo info_ = {};
};

// Adds the callers of the function that owns the frame. V8 leaves out the frame of the instruction
// where it begins. No code is at the instruction 0, so V8 does not expect a handler's frame there.
void follow(uint64_t frame, Callers& callers) {
  const Frames frames({0, frame - kSlotBytes, frame, 0, nullptr});
  // Only Node's own first functions have no callers. Therefore V8 could not follow this frame.
  if (frames.count() == 0) return callers.truncate();
  frames.add_to(callers, 0);
}

// Adds the callers of a marked bytecode that is being executed, or whose handler jumps to the next
// bytecode.
void follow_marked(const ThreadState& state, const Interrupted& interrupted, uint64_t address,
                   Callers& callers) {
  const bool has_frame = state.mark_frame >= interrupted.stack;
  if (has_frame && address != 0) return follow(state.mark_frame, callers);
  // A bytecode that has removed its frame leads to a bytecode of its caller.
  const uint64_t caller = saved_address(interrupted.frame);
  if (has_frame || caller == 0 || !callers.add(caller)) return callers.truncate();
  follow(interrupted.frame, callers);
}

Place marked(const ThreadState& state, uint64_t address) {
  Place place;
  place.operation = static_cast<uint16_t>(state.mark - 1);
  place.code = address;
  return place;
}

}  // namespace

const char* part_name(int part) {
  static constexpr const char* kNames[] = {"runtime", "compiled code", "built-in functions",
                                           "JIT compiler", "garbage collector"};
  return part >= kOutside && part < kParts ? kNames[part - kOutside] : "";
}

void use_engine(const Engine& given) {
  engine = given;
  for (const Segment& segment : segments_of(reinterpret_cast<uintptr_t>(engine.current)))
    if (segment.executable && segment.holds(reinterpret_cast<uintptr_t>(engine.current)))
      executable = {segment.begin, segment.end};
}

void begin_isolate(Isolate isolate, const Interposition& thunks) {
  const uint64_t begin = engine.builtins(isolate);
  const DispatchTable table = table_of(engine, isolate);
  const auto* entries = reinterpret_cast<const uint64_t*>(table.address);
  const Code builtins{begin, begin + engine.builtins_size(isolate)};
  Code handlers{0, 0};
  if (!builtins.holds(entries[0])) {
    const auto [first, last] = std::minmax_element(entries, entries + kOperations);
    handlers = {*first, *last + kLongestHandler};
  }
  void* code = nullptr;
  size_t length = 0;
  engine.code_range(isolate, &code, &length);
  const auto first = reinterpret_cast<uintptr_t>(code);
  running = {isolate, &thunks, builtins, handlers, {first, first + length}};
}

void end_isolate() { running = {}; }

Place sampled_place(const ThreadState& state, const Interrupted& interrupted, Callers& callers) {
  const uint64_t at = interrupted.instruction;
  if (running.isolate == nullptr || state.mark == 0) return outside(kOutside);
  const uint64_t address = marked_address(state);
  const bool builtin = is_builtin(at);
  // A handler has no frame of its own.
  if (running.thunks->holds(at) ||
      (builtin && interrupted.frame == state.mark_frame && !compiled_code_called(interrupted))) {
    follow_marked(state, interrupted, address, callers);
    return marked(state, address);
  }
  const Frames frames({at, interrupted.stack, interrupted.frame, 0, nullptr});
  if (frames.state() == State::kCollector) return outside(kCollector);
  if (frames.state() == State::kCompiler) return outside(kCompiler);
  if (frames.count() == 0 || frames.state() == State::kParser ||
      frames.state() == State::kBytecodeCompiler)
    return outside(kOutside);
  // The innermost function of JavaScript: its bytecode if it is interpreted.
  if (address != 0 && frames[0] == saved_address(state.mark_frame)) {
    frames.add_to(callers, 1);
    return marked(state, address);
  }
  const bool compiled = is_compiled(at);
  // V8 has left out the frame of compiled code that was interrupted.
  if (compiled) callers.add(at);
  frames.add_to(callers, 0);
  return outside(compiled ? kCompiled : builtin ? kBuiltin : kOutside);
}

}  // namespace probes::v8
