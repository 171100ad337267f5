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

// The state of this thread.
struct Running {
  Isolate isolate;
  const Interposition* thunks;
  Code builtins;
  // The second copy of the builtins in Node 20. The table leads to it.
  Code handlers;
};
__thread Running running PROBES_STATIC_TLS;

Place outside(int part) {
  Place place;
  place.operation = static_cast<uint16_t>(part);
  return place;
}

bool read_slot(const ThreadState& state, int32_t slot, uint64_t& value) {
  const uint64_t address = state.mark_frame + static_cast<uint64_t>(static_cast<int64_t>(slot));
  return read_memory(address, &value, sizeof value);
}

// The address of the marked bytecode; 0 if its frame is gone. A prefix counts as an operation of
// its own.
uint64_t marked_address(const ThreadState& state) {
  uint64_t array = 0;
  uint8_t found = 0;
  if (!read_slot(state, engine.bytecode_array_slot, array)) return 0;
  const uint64_t address = array + state.mark_instruction;
  const bool read = read_memory(address, &found, sizeof found);
  return read && uint64_t{found} + 1 == state.mark ? address : 0;
}

// V8's own value for the instruction of the marked frame. It may be old, because not all handlers
// save it.
uint64_t saved_address(const ThreadState& state) {
  constexpr int kSmallIntegerShift = 32;
  uint64_t array = 0, offset = 0;
  if (!read_slot(state, engine.bytecode_array_slot, array)) return 0;
  if (!read_slot(state, engine.bytecode_offset_slot, offset)) return 0;
  return array + (offset >> kSmallIntegerShift);
}

Place marked(const ThreadState& state, uint64_t address) {
  Place place;
  place.operation = static_cast<uint16_t>(state.mark - 1);
  place.code = address;
  return place;
}

}  // namespace

const char* part_name(int part) {
  static constexpr const char* kNames[] = {"runtime", "compiled code", "JIT compiler",
                                           "garbage collector"};
  return part >= kOutside && part < kParts ? kNames[part - kOutside] : "";
}

void use_engine(const Engine& given) { engine = given; }

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
  running = {isolate, &thunks, builtins, handlers};
}

void end_isolate() { running = {}; }

Place sampled_place(const ThreadState& state, const Interrupted& interrupted, Callers&) {
  const uint64_t at = interrupted.instruction;
  if (running.isolate == nullptr || state.mark == 0) return outside(kOutside);
  const uint64_t address = marked_address(state);
  const bool in_builtin = running.builtins.holds(at) || running.handlers.holds(at);
  // A handler has no frame of its own.
  if (running.thunks->holds(at) || (in_builtin && interrupted.frame == state.mark_frame))
    return marked(state, address);
  const RegisterState registers{at, interrupted.stack, interrupted.frame, 0, nullptr};
  SampleInfo info = {};
  void* frame = nullptr;
  engine.sample(running.isolate, registers, &frame, 1, &info);
  if (info.state == State::kCollector) return outside(kCollector);
  if (info.state == State::kCompiler) return outside(kCompiler);
  if (info.frames == 0 || info.state == State::kParser || info.state == State::kBytecodeCompiler)
    return outside(kOutside);
  // The innermost function of JavaScript: its bytecode if it is interpreted.
  if (address != 0 && reinterpret_cast<uintptr_t>(frame) == saved_address(state))
    return marked(state, address);
  return outside(kCompiled);
}

}  // namespace probes::v8
