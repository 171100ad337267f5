#pragma once

#include <cstdint>

namespace probes::hotspot {

// The functions of JVM TI and JNI that the agent calls, by their numbers in the specifications.
// The numbers are fixed, so the probe can be built without a JDK.

using Object = void*;
using MethodId = void*;

// A table of functions. Its address is the first word of the object.
class Interface {
 public:
  Interface() = default;
  explicit Interface(void* object) : object_(object) {}

  void* object() const { return object_; }

 protected:
  // The function with a number. All functions take the object as their first argument.
  template <typename Result, typename... Arguments>
  Result call(int number, Arguments... arguments) const {
    void* const* functions = *static_cast<void* const* const*>(object_);
    return reinterpret_cast<Result (*)(void*, Arguments...)>(functions[number])(object_,
                                                                                arguments...);
  }

 private:
  void* object_ = nullptr;
};

// JNI, chapter 4. Numbers are indices into the interface function table.
class Jni : public Interface {
 public:
  using Interface::Interface;

  Object find_class(const char* name) const { return call<Object>(6, name); }
  Object define_class(const char* name, const uint8_t* bytes, int32_t length) const {
    return call<Object>(5, name, Object{}, bytes, length);
  }
  bool push_frame(int32_t room) const { return call<int32_t>(19, room) == 0; }
  void pop_frame() const { call<Object>(20, Object{}); }
  void clear_exception() const { call<void>(17); }
  Object class_of(Object object) const { return call<Object>(31, object); }
  void* field(Object type, const char* name, const char* signature) const {
    return call<void*>(94, type, name, signature);
  }
  int64_t long_field(Object object, void* field) const { return call<int64_t>(101, object, field); }
  MethodId static_method(Object type, const char* name, const char* signature) const {
    return call<MethodId>(113, type, name, signature);
  }
  // CallStaticIntMethodA, with one `int`.
  int32_t call_static_int(Object type, MethodId method, int32_t argument) const {
    const int64_t arguments[] = {argument};
    return call<int32_t>(131, type, method, &arguments[0]);
  }
};

struct LineEntry {
  int64_t start;
  int32_t line;
};

// JVM TI, "Function Index". The table begins with number 1. Each function returns 0 if it
// succeeds.
class Jvmti : public Interface {
 public:
  using Interface::Interface;

  enum Event : int { kVmInit = 50, kVmDeath = 51, kThreadStart = 52, kThreadEnd = 53 };

  int enable(Event event) const { return number<2>(1, static_cast<int>(event), Object{}); }
  int disable(Event event) const { return number<2>(0, static_cast<int>(event), Object{}); }
  int all_threads(int32_t* count, Object** threads) const { return number<4>(count, threads); }
  int current_thread(Object* thread) const { return number<18>(thread); }
  int deallocate(void* memory) const { return number<47>(static_cast<uint8_t*>(memory)); }
  int class_signature(Object type, char** signature) const {
    return number<48>(type, signature, static_cast<char**>(nullptr));
  }
  int source_file(Object type, char** name) const { return number<50>(type, name); }
  int methods_of(Object type, int32_t* count, MethodId** methods) const {
    return number<52>(type, count, methods);
  }
  int method_name(MethodId method, char** name) const {
    return number<64>(method, name, static_cast<char**>(nullptr), static_cast<char**>(nullptr));
  }
  int lines_of(MethodId method, int32_t* count, LineEntry** lines) const {
    return number<70>(method, count, lines);
  }
  int loaded_classes(int32_t* count, Object** classes) const { return number<78>(count, classes); }
  int set_callbacks(const void* const* callbacks, int32_t bytes) const {
    return number<122>(callbacks, bytes);
  }
  int system_property(const char* name, char** value) const { return number<131>(name, value); }
  // can_get_source_file_name and can_get_line_numbers: bits 11 and 12 of jvmtiCapabilities.
  int want_lines() const {
    const uint32_t capabilities[4] = {1U << 11 | 1U << 12, 0, 0, 0};
    return number<142>(&capabilities[0]);
  }

 private:
  template <int kNumber, typename... Arguments>
  int number(Arguments... arguments) const {
    return call<int>(kNumber - 1, arguments...);
  }
};

// JNI, chapter 5, "The Invocation API".
class JavaVm : public Interface {
 public:
  using Interface::Interface;

  static constexpr int32_t kJvmti1_2 = 0x30010200;

  bool jvmti(Jvmti& found) const {
    void* object = nullptr;
    if (call<int32_t>(6, &object, kJvmti1_2) != 0) return false;
    found = Jvmti(object);
    return true;
  }
  // The JNI 1.6 environment of the calling thread. Its object is nullptr if this is not a thread
  // of Java.
  Jni jni() const {
    constexpr int32_t kJni1_6 = 0x00010006;
    void* object = nullptr;
    const bool found = call<int32_t>(6, &object, kJni1_6) == 0;
    return Jni(found ? object : nullptr);
  }
  // An address in the library of the virtual machine.
  const void* inside() const { return *static_cast<void* const* const*>(object()); }
};

}  // namespace probes::hotspot
