#include "known_loop.hpp"

#include <string>

namespace probes::hotspot {

namespace {

constexpr const char* kName = "runfair/KnownLoop";

// Java Virtual Machine Specification, chapter 6.
enum Bytecode : uint8_t {
  kIconst0 = 3,
  kIload0 = 26,
  kIload1 = 27,
  kIload2 = 28,
  kIstore1 = 60,
  kIstore2 = 61,
  kIadd = 96,
  kIinc = 132,
  kIfIcmplt = 161,
  kGoto = 167,
  kIreturn = 172,
};

// int loop(int times) { int sum = 0; for (int at = 0; at < times; ++at) sum += at; return sum; }
constexpr uint8_t kCode[] = {
    kIconst0,  kIstore1, kIconst0, kIstore2, kGoto,   0,       10,  // to the condition
    kIload1,   kIload2,  kIadd,                                     // the body
    kIstore1,  kIinc,    2,        1,        kIload2, kIload0,      // the condition
    kIfIcmplt, 0xff,     0xf7,                                      // to the body
    kIload1,   kIreturn,
};

// Writes a class file (chapter 4), big-endian.
class ClassFile {
 public:
  void u1(unsigned value) { bytes_ += static_cast<char>(value); }
  void u2(unsigned value) {
    u1(value >> 8 & 0xff);
    u1(value & 0xff);
  }
  void u4(unsigned value) {
    u2(value >> 16);
    u2(value & 0xffff);
  }
  void utf8(const std::string& text) {
    u1(1);
    u2(static_cast<unsigned>(text.size()));
    bytes_ += text;
  }
  void class_at(unsigned name) {
    u1(7);
    u2(name);
  }
  void append(const uint8_t* code, size_t length, size_t padded) {
    bytes_.append(reinterpret_cast<const char*>(code), length);
    bytes_.append(padded - length, '\0');  // nop
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

std::string class_bytes() {
  constexpr unsigned kLast = 7, kPublicStatic = 9, kPublicSuper = 0x21;
  ClassFile file;
  file.u4(0xcafebabe);
  file.u4(49);  // the last version without a stack map
  file.u2(kLast + 1);
  file.utf8(kName);
  file.class_at(1);
  file.utf8("java/lang/Object");
  file.class_at(3);
  file.utf8("loop");
  file.utf8("(I)I");
  file.utf8("Code");
  file.u2(kPublicSuper);
  file.u2(2);
  file.u2(4);
  file.u4(0);  // no interfaces, no fields
  file.u2(1);
  file.u2(kPublicStatic);
  file.u2(5);
  file.u2(6);
  file.u2(1);
  file.u2(7);
  file.u4(12 + KnownLoop::kCodeSize);
  file.u2(2);  // on the stack
  file.u2(3);  // local variables
  file.u4(KnownLoop::kCodeSize);
  file.append(kCode, sizeof kCode, KnownLoop::kCodeSize);
  file.u4(0);  // no exception handlers, no attributes
  file.u2(0);
  return file.bytes();
}

}  // namespace

bool KnownLoop::define(const Jni& jni) {
  jni_ = jni;
  method_ = nullptr;
  const std::string bytes = class_bytes();
  type_ = jni.define_class(kName, reinterpret_cast<const uint8_t*>(bytes.data()),
                           static_cast<int32_t>(bytes.size()));
  if (type_ == nullptr) {
    // A process may be entered several times.
    jni.clear_exception();
    type_ = jni.find_class(kName);
  }
  if (type_ != nullptr) method_ = jni.static_method(type_, "loop", "(I)I");
  if (method_ == nullptr) jni.clear_exception();
  return method_ != nullptr;
}

void KnownLoop::run(int32_t times) const { jni_.call_static_int(type_, method_, times); }

void KnownLoop::expected(int32_t times, uint64_t (&counts)[kOperations]) {
  const auto many = static_cast<uint64_t>(times);
  for (uint64_t& count : counts) count = 0;
  counts[kIconst0] = 2;
  counts[kIstore2] = counts[kGoto] = counts[kIreturn] = 1;
  counts[kIadd] = counts[kIinc] = many;
  counts[kIstore1] = counts[kIload0] = counts[kIload1] = counts[kIfIcmplt] = many + 1;
  counts[kIload2] = 2 * many + 1;
}

uint64_t KnownLoop::executions(int32_t times) {
  uint64_t counts[kOperations];
  expected(times, counts);
  uint64_t sum = 0;
  for (const uint64_t count : counts) sum += count;
  return sum;
}

}  // namespace probes::hotspot
