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
};

// Returns an error message, or nullptr.
const char* find_virtual_machine(const JavaVm& java_vm, VirtualMachine& found);

}  // namespace probes::hotspot
