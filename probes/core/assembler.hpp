#pragma once

#include <cstdint>
#include <cstring>
#include <initializer_list>

namespace probes {

// Writes the few x86-64 instructions that thunks consist of. The operands of `..._fs` are offsets
// from the thread pointer (Intel SDM volume 2: a disp32 without base is ModRM 0x04, SIB 0x25).
// After `use_base_from_fs` they are offsets from the address in r11.
class Assembler {
 public:
  enum Register : uint8_t { kRax = 0, kRcx = 1, kRdx = 2, kRsp = 4, kRbp = 5, kR9 = 9, kR13 = 13 };

  Assembler(uint8_t* at, uint8_t* end) : at_(at), end_(end) {}

  uint8_t* here() const { return at_; }
  bool full() const { return full_; }

  void align(unsigned boundary) {
    while (reinterpret_cast<uintptr_t>(at_) % boundary != 0 && !full_) bytes({0xcc});
  }
  // Loads r11 from fs:[offset]. Later offsets are relative to r11, until `use_fs`.
  void use_base_from_fs(int32_t offset) {
    based_ = false;
    fs({0x4c, 0x8b, 0x1c}, offset);
    based_ = true;
  }
  void use_fs() { based_ = false; }
  // The target that an indirect jump needs under control-flow enforcement (endbr64).
  void end_branch() { bytes({0xf3, 0x0f, 0x1e, 0xfa}); }
  void increment_fs(int32_t offset) { fs({0x48, 0xff, 0x04}, offset); }
  void store_fs(int32_t offset, Register source) { fs({rex(source), 0x89, modrm(source)}, offset); }
  void load_fs(Register target, int32_t offset) { fs({0x48, 0x8b, modrm(target)}, offset); }
  void add_fs(Register target, int32_t offset) { fs({0x48, 0x03, modrm(target)}, offset); }
  // The value is sign-extended to 64 bits.
  void store_fs(int32_t offset, int32_t value) {
    fs({0x48, 0xc7, 0x04}, offset);
    immediate(value);
  }
  // sub qword fs:[offset], 1
  void decrement_fs(int32_t offset) {
    fs({0x48, 0x83, 0x2c}, offset);
    bytes({1});
  }
  // cmp qword fs:[offset], 0
  void compare_fs_with_zero(int32_t offset) {
    fs({0x48, 0x83, 0x3c}, offset);
    bytes({0});
  }
  // Reads the time-stamp counter into rax, and overwrites rdx.
  void read_ticks() { bytes({0x0f, 0x31}); }
  void join_ticks() { bytes({0x48, 0xc1, 0xe2, 32, 0x48, 0x09, 0xd0}); }
  void load_fence() { bytes({0x0f, 0xae, 0xe8}); }
  // Sets the trap flag. The processor then traps after each instruction, beginning with the next
  // one.
  void step() { bytes({0x9c, 0x81, 0x0c, 0x24, 0, 1, 0, 0, 0x9d}); }
  void call(const void* function) {
    const auto target = reinterpret_cast<uintptr_t>(function);
    bytes({0x48, 0xb8});
    raw(&target, sizeof target);
    bytes({0xff, 0xd0});
  }

  enum Condition : uint8_t { kEqual = 0x84, kNotEqual = 0x85, kNegative = 0x88 };
  // A conditional jump with an open target; `land` sets the target to the current place.
  uint8_t* jump_if(Condition condition) {
    bytes({0x0f, condition});
    immediate(0);
    return at_;
  }
  void land(uint8_t* after_jump) {
    const auto distance = static_cast<int32_t>(at_ - after_jump);
    if (!full_) memcpy(after_jump - sizeof distance, &distance, sizeof distance);
  }
  // inc qword [rax + displacement]
  void increment_at_rax(int32_t displacement) {
    bytes({0x48, 0xff, 0x80});
    immediate(displacement);
  }
  // jmp rel32. If the target is too far away, jumps through an address that follows the
  // instruction.
  void jump(uint64_t target) {
    const int64_t distance =
        static_cast<int64_t>(target) - static_cast<int64_t>(reinterpret_cast<uintptr_t>(at_) + 5);
    if (distance == static_cast<int32_t>(distance)) {
      bytes({0xe9});
      immediate(static_cast<int32_t>(distance));
    } else {
      bytes({0xff, 0x25, 0, 0, 0, 0});
      raw(&target, sizeof target);
    }
  }
  void bytes(std::initializer_list<uint8_t> code) { raw(code.begin(), code.size()); }
  void copy(const uint8_t* code, size_t length) { raw(code, length); }

 private:
  static uint8_t rex(Register reg) { return reg < 8 ? 0x48 : 0x4c; }
  static uint8_t modrm(Register reg) { return static_cast<uint8_t>(0x04 | ((reg & 7) << 3)); }
  // `instruction`: the REX prefix, the opcode, and the ModRM byte of an address without base.
  void fs(const uint8_t (&instruction)[3], int32_t offset) {
    if (based_) {
      constexpr uint8_t kBaseIsExtended = 0x01, kDisplacement = 0x80, kR11 = 11 & 7;
      const auto reg = static_cast<uint8_t>(instruction[2] & 0x38);
      bytes({static_cast<uint8_t>(instruction[0] | kBaseIsExtended), instruction[1],
             static_cast<uint8_t>(kDisplacement | reg | kR11)});
    } else {
      bytes({0x64, instruction[0], instruction[1], instruction[2], 0x25});
    }
    immediate(offset);
  }
  void immediate(int32_t value) { raw(&value, sizeof value); }
  void raw(const void* code, size_t length) {
    if (static_cast<size_t>(end_ - at_) < length) {
      full_ = true;
      return;
    }
    memcpy(at_, code, length);
    at_ += length;
  }

  uint8_t* at_;
  uint8_t* end_;
  bool full_ = false;
  bool based_ = false;
};

}  // namespace probes
