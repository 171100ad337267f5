#pragma once

#include "../core/dispatch_table.hpp"
#include "../core/side_file.hpp"
#include "jvm_interface.hpp"

namespace probes::hotspot {

struct Range {
  uint64_t begin = 0;
  uint64_t end = 0;

  bool holds(uint64_t address) const { return address >= begin && address < end; }
};

// A part of the code cache. It consists of blocks, and each block of segments of 2^`shift` bytes.
// `map` has a byte for each segment: 0 for the first segment of a block, otherwise the number of
// segments to go back in this block.
struct CodeHeap {
  Range code;
  uint64_t map;
  uint32_t shift;
};
constexpr int kMostCodeHeaps = 4;

// The data about this HotSpot, from its symbol table and from the structures that it exports for
// debuggers (vmStructs). Offsets are in bytes.
struct VirtualMachine {
  DispatchTable table;
  OperationNames names;
  Range interpreter;  // the code of the template interpreter
  Range code_cache;
  uint64_t const_method_of_method;
  uint64_t code_size_of_const_method;
  uint64_t const_method_bytes;  // the bytecode follows it
  uint64_t last_java_sp_of_thread;
  uint64_t last_java_fp_of_thread;
  // The code after a call of Java from native code, and the last frame of Java before this call.
  uint64_t call_stub_return;
  uint64_t last_java_sp_of_wrapper;
  uint64_t last_java_fp_of_wrapper;
  uint64_t system_thread_of_thread;
  uint64_t number_of_system_thread;  // the kernel's number, 32 bits
  // Empty ranges if the probe does not know them. A block has a header and then a code blob.
  CodeHeap code_heaps[kMostCodeHeaps] = {};
  uint64_t block_header_bytes;
  uint64_t name_of_blob;
  uint64_t method_of_blob;  // only of a compiled method
};

// Returns an error message, or nullptr.
const char* find_virtual_machine(const JavaVm& java_vm, VirtualMachine& found);

}  // namespace probes::hotspot
