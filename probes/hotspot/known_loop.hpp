#pragma once

#include "../core/thread_state.hpp"
#include "jvm_interface.hpp"

namespace probes::hotspot {

// A loop with known bytecodes. It confirms the table, and measures the cost of the probe. Its
// method is longer than the methods that HotSpot compiles, so it is always interpreted.
class KnownLoop {
 public:
  // Returns false if the virtual machine rejects the class.
  bool define(const Jni& jni);
  void run(int32_t times) const;
  MethodId method() const { return method_; }
  // The bytecodes of an execution with `times`, by their numbers in the class file.
  static void expected(int32_t times, uint64_t (&counts)[kOperations]);
  static uint64_t executions(int32_t times);
  // HotSpot's description of the method.
  static constexpr uint16_t kCodeSize = 8192;

 private:
  Jni jni_;
  Object type_ = nullptr;
  MethodId method_ = nullptr;
};

}  // namespace probes::hotspot
