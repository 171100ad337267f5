#include "copyable_code.hpp"

#include <algorithm>
#include <bitset>
#include <cstring>

namespace probes {

namespace {

// Reads one instruction after the other. Any doubt ends the reading: `known` becomes false.
class Decoder {
 public:
  Decoder(const uint8_t* code, size_t length, RegisterSet safe, const Segment& table)
      : code_(code), length_(length), safe_(safe), table_(table) {}

  // The code up to the last jump, behind which nothing is reached.
  CopyableCode until_end() {
    while (known_ && !ended_) {
      if (at_ < kMostCopied) beginnings_.set(at_);
      instruction();
    }
    if (!known_ || !dispatches_ || (targets_ & ~beginnings_).any()) return {};
    return {at_, loads_table_ && !loads_other_};
  }

 private:
  enum Access { kNone, kData };

  uint8_t next() {
    if (at_ < length_) return code_[at_++];
    known_ = false;
    return 0;
  }
  void skip(size_t bytes) {
    at_ += bytes;
    known_ = known_ && at_ <= length_;
  }
  void require(bool condition) { known_ = known_ && condition; }

  void instruction() {
    wide_ = extends_base_ = false;
    narrow_ = false;
    uint8_t opcode = next();
    if (opcode == 0x66) {
      narrow_ = true;
      opcode = next();
    } else if (opcode == 0xf2 || opcode == 0xf3) {  // only before SSE instructions
      opcode = next();
      if ((opcode & 0xf0) == 0x40) opcode = rex(opcode);
      require(opcode == 0x0f);
      return two_bytes(next(), true);
    }
    if ((opcode & 0xf0) == 0x40) opcode = rex(opcode);
    if (opcode == 0x0f) return two_bytes(next(), narrow_);
    if (opcode == 0xc5) return vex();
    one_byte(opcode);
  }

  uint8_t rex(uint8_t prefix) {
    wide_ = (prefix & 8) != 0;
    extends_base_ = (prefix & 1) != 0;
    return next();
  }

  void one_byte(uint8_t opcode) {
    const size_t immediate = narrow_ && !wide_ ? 2 : 4;
    if (opcode < 0x40) {  // arithmetic: with ModRM, or of the accumulator with an immediate
      const uint8_t form = opcode & 7;
      require(form < 6);
      if (form < 4) return operand(kData);
      return skip(form == 4 ? 1 : immediate);
    }
    if (opcode >= 0x50 && opcode < 0x60) return;                        // push, pop
    if (opcode >= 0x70 && opcode < 0x80) return jump(byte_distance());  // jcc
    if (opcode >= 0xb8 && opcode < 0xc0) return wide_ ? load_address() : skip(immediate);
    switch (opcode) {
      case 0x63:
      case 0x84:
      case 0x85:
      case 0x88:
      case 0x89:
      case 0x8a:
      case 0x8b:
      case 0xd0:
      case 0xd1:
      case 0xd2:
      case 0xd3:
        return operand(kData);
      case 0x8d:  // lea
        return operand(kNone);
      case 0x90:
      case 0x98:
      case 0x99:
        return;
      case 0x6b:
      case 0x80:
      case 0x83:
      case 0xc0:
      case 0xc1:
        operand(kData);
        return skip(1);
      case 0x69:
      case 0x81:
        operand(kData);
        return skip(immediate);
      case 0xc6:
      case 0xc7:
        require(operation() == 0);
        operand(kData);
        return skip(opcode == 0xc6 ? 1 : immediate);
      case 0xf6:
      case 0xf7: {
        const uint8_t form = operation();
        require(form < 6);  // 6 and 7 divide
        operand(kData);
        return skip(form >= 2 ? 0 : opcode == 0xf6 ? 1 : immediate);
      }
      case 0xfe:
      case 0xff:
        if (opcode == 0xff && operation() == 4) return dispatch();
        require(operation() < 2 || operation() == 6);  // inc, dec, push
        return operand(kData);
      case 0xeb:
        return leave(byte_distance());
      case 0xe9:
        return leave(distance());
      default:
        known_ = false;
    }
  }

  void two_bytes(uint8_t opcode, bool vector) {
    if (opcode >= 0x80 && opcode < 0x90 && !vector) return jump(distance());
    if (opcode >= 0xc8 && opcode < 0xd0 && !vector) return;  // bswap
    const bool conditional = (opcode >= 0x40 && opcode < 0x50) || (opcode >= 0x90 && opcode < 0xa0);
    const bool extends = opcode == 0xb6 || opcode == 0xb7 || opcode == 0xbe || opcode == 0xbf;
    if (opcode == 0x1f) return operand(kNone);  // nop
    require(conditional || extends || opcode == 0xaf || moves_or_computes(opcode));
    operand(kData);
  }

  // Of the prefixes VEX, the one of two bytes: the same opcodes as after 0x0f.
  void vex() {
    next();
    const uint8_t opcode = next();
    require(moves_or_computes(opcode));
    operand(kData);
  }

  // Instructions of SSE that move, convert, compare, or compute, without an immediate.
  static bool moves_or_computes(uint8_t opcode) {
    switch (opcode) {
      case 0x10:
      case 0x11:
      case 0x28:
      case 0x29:
      case 0x2a:
      case 0x2c:
      case 0x2d:
      case 0x2e:
      case 0x2f:
      case 0x51:
      case 0x54:
      case 0x57:
      case 0x58:
      case 0x59:
      case 0x5a:
      case 0x5c:
      case 0x5e:
      case 0x6e:
      case 0x7e:
      case 0xd6:
      case 0xef:
        return true;
      default:
        return false;
    }
  }

  // The operation that the ModRM byte names.
  uint8_t operation() const {
    return at_ < length_ ? static_cast<uint8_t>(code_[at_] >> 3 & 7) : uint8_t{7};
  }

  // Reads the ModRM byte and what belongs to it.
  void operand(Access access) {
    const uint8_t modrm = next(), mode = modrm >> 6;
    uint8_t base = modrm & 7;
    if (mode == 3) return;
    bool indexed = false;
    if (base == 4) {
      const uint8_t sib = next();
      indexed = (sib >> 3 & 7) != 4;
      base = sib & 7;
    }
    if (mode == 0 && base == 5) return require(false);  // without base, or relative to the code
    skip(mode == 1 ? 1 : mode == 2 ? 4 : 0);
    const int number = base + (extends_base_ ? 8 : 0);
    require(access == kNone || (safe_ >> number & 1) != 0);
    indexed_ = indexed;
  }

  // An immediate of 64 bits is the address of a table.
  void load_address() {
    uint64_t found = 0;
    if (at_ + sizeof found <= length_) memcpy(&found, code_ + at_, sizeof found);
    skip(sizeof found);
    (table_.holds(found) ? loads_table_ : loads_other_) = true;
  }

  // jmp [base + index * 8]
  void dispatch() {
    const bool memory = at_ < length_ && code_[at_] >> 6 != 3;
    indexed_ = false;
    operand(kNone);
    require(memory && indexed_);
    dispatches_ = true;
    end_here();
  }

  int64_t byte_distance() { return static_cast<int8_t>(next()); }
  int64_t distance() {
    int32_t found = 0;
    if (at_ + sizeof found <= length_) memcpy(&found, code_ + at_, sizeof found);
    skip(sizeof found);
    return found;
  }
  void jump(int64_t distance) {
    const int64_t target = static_cast<int64_t>(at_) + distance;
    require(target >= 0 && target < static_cast<int64_t>(kMostCopied));
    if (known_) targets_.set(static_cast<size_t>(target));
    furthest_ = std::max(furthest_, target);
  }
  void leave(int64_t distance) {
    jump(distance);
    end_here();
  }
  // Nothing goes on behind this jump, unless an earlier jump leads there.
  void end_here() { ended_ = furthest_ < static_cast<int64_t>(at_); }

  const uint8_t* code_;
  size_t length_;
  RegisterSet safe_;
  Segment table_;
  bool loads_table_ = false;
  bool loads_other_ = false;
  size_t at_ = 0;
  std::bitset<kMostCopied> beginnings_;  // of instructions
  std::bitset<kMostCopied> targets_;     // of jumps
  int64_t furthest_ = 0;                 // target
  bool known_ = true;
  bool ended_ = false;
  bool dispatches_ = false;
  bool narrow_ = false;
  bool wide_ = false;
  bool extends_base_ = false;
  bool indexed_ = false;
};

}  // namespace

CopyableCode copyable_code(const uint8_t* code, size_t available, RegisterSet safe,
                           const Segment& table) {
  if (safe == 0) return {};
  return Decoder(code, std::min(available, kMostCopied), safe, table).until_end();
}

}  // namespace probes
