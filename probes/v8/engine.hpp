#pragma once

#include <cstddef>

#include "../core/dispatch_table.hpp"
#include "../core/side_file.hpp"

namespace probes::v8 {

// The parts of V8 in this process that the probe uses: functions of its public interface, and
// local functions that the executable's symbol table names. Structures are as in V8's headers
// (v8-unwinder.h, v8-callbacks.h), which have not changed from Node 20 to 26.

using Isolate = void*;

struct RegisterState {
  uint64_t instruction, stack, frame, link;
  void* callee_saved;
};

enum class State : uint16_t { kScript, kCollector, kParser, kBytecodeCompiler, kCompiler };

struct SampleInfo {
  size_t frames;
  void* pointers[3];
  State state;
  uint64_t rest[8];
};

struct CodeEvent {
  enum Type : int { kAdded, kMoved, kRemoved, kAddLine, kStartLines, kEndLines };
  Type type;
  int code_type;  // 0: bytecode
  uint64_t begin;
  size_t length;
  void* script;
  void* lines;  // set by the probe at kStartLines, until kEndLines
  void* wasm;
  union {
    struct {
      const char* text;
      size_t length;
    } name;
    struct {
      size_t offset;
      size_t position;
      int type;
    } line;
    uint64_t moved_to;
  };
};

struct Engine {
  Isolate (*current)();
  uint64_t (*table)(Isolate);
  const char* (*name)(uint8_t bytecode);
  void (*sample)(Isolate, const RegisterState&, void** frames, size_t room, SampleInfo*);
  void (*observe_code)(Isolate, int options, void (*)(const CodeEvent*));
  uint64_t (*builtins)(Isolate);
  uint32_t (*builtins_size)(Isolate);
  void (*code_range)(Isolate, void** begin, size_t* length);
  // Slots of a frame: the bytecode array, and the last saved offset in it.
  int32_t bytecode_array_slot;
  int32_t bytecode_offset_slot;
};

// Returns an error message, or nullptr.
const char* find_engine(Engine& found);

DispatchTable table_of(const Engine& engine, Isolate isolate);
OperationNames names_of(const Engine& engine, const DispatchTable& table);

}  // namespace probes::v8
