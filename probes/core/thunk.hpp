#pragma once

#include <cstdint>

#include "assembler.hpp"

namespace probes {

// What a thunk does before it jumps to the operation.
enum class Mode : int {
  kNothing = 0,  // only jumps: the cost of the detour
  kCount = 1,    // counts executions
  kMark = 2,     // counts, and leaves a mark that a sampler reads
  kPairs = 3,    // counts which operation follows which
  kLatency = 4,  // counts, and times some executions between fences
  kSteps = 5,    // counts, and single-steps through some executions
  kProfile = 6,  // kMark and kPairs together
};

constexpr bool samples(Mode mode) { return mode == Mode::kMark || mode == Mode::kProfile; }
constexpr bool counts_pairs(Mode mode) { return mode == Mode::kPairs || mode == Mode::kProfile; }

// What an interpreter's registers hold at a dispatch: one identifies the frame, and another may
// hold the address of the instruction, or its offset in the code.
struct InterpreterRegisters {
  Assembler::Register frame = Assembler::kRsp;
  bool has_instruction = false;
  Assembler::Register instruction = Assembler::kR13;
};

// Writes the thunk of an operation and returns where it begins.
//
// Thunks keep every register and the stack, the area below the stack pointer included (but for the
// executions that kLatency and kSteps measure). They change the arithmetic flags, which no
// interpreter here reads across a dispatch. In a process that was entered late they change r11 too,
// which HotSpot's interpreter does not read there.
uint64_t write_thunk(Assembler& assembler, Mode mode, int operation, uint64_t target,
                     const InterpreterRegisters& registers = {});

}  // namespace probes
