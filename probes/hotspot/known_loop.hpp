#pragma once

#include "../core/thread_state.hpp"
#include "jvm_interface.hpp"

namespace probes::hotspot {

// A loop whose bytecodes are known, to confirm the table before it is trusted, and to measure what
// the probe adds. It is longer than methods that HotSpot compiles, so it is always interpreted.
class KnownLoop {
 public:
  // False if the virtual machine does not take it.
  bool define(const Jni& jni);
  void run(int32_t times) const;
  MethodId method() const { return method_; }
  // The bytecodes of an execution with `times`, by their numbers in the class file.
  static void expected(int32_t times, uint64_t (&counts)[kOperations]);
  static uint64_t executions(int32_t times);
  // What HotSpot says of the method.
  static constexpr uint16_t kCodeSize = 8192;

 private:
  Jni jni_;
  Object type_ = nullptr;
  MethodId method_ = nullptr;
};

}  // namespace probes::hotspot
