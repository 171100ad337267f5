// Tests which code of an operation may be copied, with instructions that HotSpot's interpreter
// uses, and that copies run: a table whose operations are such code counts and gives the answer.

#include "../core/copyable_code.hpp"

#include <sys/mman.h>

#include <array>
#include <cstring>
#include <vector>

#include "../core/memory.hpp"
#include "../core/probe.hpp"
#include "../core/thread_registry.hpp"
#include "check.hpp"

namespace {

using probes::Mode;

constexpr probes::RegisterSet kSafe = 1U << 4 | 1U << 5 | 1U << 13 | 1U << 14 | 1U << 15;
using Code = std::vector<uint8_t>;

const Code kDispatch = {0x41, 0xff, 0x24, 0xda};  // jmp *(%r10,%rbx,8)

Code operator+(const Code& left, const Code& right) {
  Code made = left;
  made.insert(made.end(), right.begin(), right.end());
  return made;
}

constexpr probes::Segment kTable{0x100, 0x200, false};

probes::CopyableCode copyable(const Code& code, probes::RegisterSet safe = kSafe) {
  // What follows is no part of the operation.
  const Code followed = code + Code(16, 0x06);
  return probes::copyable_code(followed.data(), followed.size(), safe, kTable);
}

size_t length_of(const Code& code, probes::RegisterSet safe = kSafe) {
  return copyable(code, safe).length;
}

bool whole(const Code& code) { return length_of(code) == code.size(); }

void straight_code_ends_at_its_dispatch() {
  // iload_2, from an operand in rax
  const Code load = {0x50,                                          // push %rax
                     0x41, 0x8b, 0x46, 0xf0,                        // mov -16(%r14),%eax
                     0x41, 0x0f, 0xb6, 0x5d, 0x01,                  // movzbl 1(%r13),%ebx
                     0x49, 0xff, 0xc5,                              // inc %r13
                     0x49, 0xba, 1,    2,    3,    4, 5, 6, 7, 8};  // movabs
  CHECK(whole(load + kDispatch));
  CHECK(length_of(load + kDispatch, 0) == 0);
  CHECK(length_of(load) == 0);  // goes on into unknown bytes
  CHECK(whole(Code{0x48, 0x83, 0xec, 0x10, 0xc5, 0xfb, 0x11, 0x04, 0x24} + kDispatch));  // vmovsd
  CHECK(whole(Code{0x66, 0xb8, 1, 2} + kDispatch));                          // a short immediate
  CHECK(whole(Code{0x66, 0x48, 0x81, 0xc0, 1, 2, 0x06, 0x06} + kDispatch));  // not a short one
  CHECK(length_of(Code(probes::kMostCopied, 0x90) + kDispatch) == 0);
}

void branches_must_stay_inside() {
  const Code skips = {0x3b, 0xd0, 0x7c, 0x04};  // cmp %eax,%edx; jl over the first dispatch
  CHECK(whole(skips + kDispatch + kDispatch));
  CHECK(length_of(skips + kDispatch) == 0);                                     // to unknown bytes
  CHECK(length_of(Code{0x3b, 0xd0, 0x7c, 0x02} + kDispatch + kDispatch) == 0);  // into the middle
  CHECK(length_of(Code{0x7c, 0x80} + kDispatch) == 0);  // backwards, outside
  CHECK(whole(Code{0x0f, 0x8c, 4, 0, 0, 0} + kDispatch + kDispatch));
  CHECK(whole(Code{0xeb, 0x01, 0x50} + kDispatch));
  CHECK(length_of(Code{0xe9, 0, 1, 0, 0}) == 0);
}

void other_tables_are_seen() {
  const Code table = {0x49, 0xba, 0xf8, 1, 0, 0, 0, 0, 0, 0};  // movabs $0x1f8,%r10
  const Code other = {0x49, 0xba, 0x00, 2, 0, 0, 0, 0, 0, 0};
  CHECK(copyable(table + kDispatch).stays_in_table);
  CHECK(whole(other + kDispatch) && !copyable(other + kDispatch).stays_in_table);
  CHECK(!copyable(kDispatch).stays_in_table);
  // A poll: testb $1,16(%r15); je; the table of safepoints; jmp
  const Code poll = Code{0x41, 0xf6, 0x47, 0x10, 0x01, 0x74, 0x0c} + other + Code{0xeb, 0x0a};
  CHECK(whole(poll + table + kDispatch) && !copyable(poll + table + kDispatch).stays_in_table);
}

void everything_else_is_refused() {
  const Code refused[] = {
      {0xe8, 0, 0, 0, 0},              // call
      {0xff, 0xd0},                    // call *%rax
      {0xc3},                          // ret
      {0x8b, 0x44, 0x90, 0x10},        // mov 16(%rax,%rdx,4),%eax: a null check, by a fault
      {0x3b, 0x42, 0x0c},              // cmp 12(%rdx),%eax
      {0xf7, 0xf9},                    // idiv %ecx
      {0x48, 0x8b, 0x05, 0, 0, 0, 0},  // mov 0(%rip),%rax
      {0x48, 0x8d, 0x05, 0, 0, 0, 0},  // lea 0(%rip),%rax
      {0x8b, 0x04, 0x25, 0, 0, 0, 0},  // mov 0,%eax
      {0x64, 0x8b, 0x45, 0},           // mov %fs:0(%rbp),%eax
      {0xf0, 0xff, 0x45, 0},           // lock incl 0(%rbp)
      {0xcc},                          // int3
      {0x0f, 0x05},                    // syscall
      {0x0f, 0x0b},                    // ud2
  };
  for (const Code& each : refused) CHECK(length_of(each + kDispatch) == 0);
  CHECK(length_of({0xff, 0xe0}) == 0);  // jmp *%rax
  CHECK(length_of({0xff, 0x20}) == 0);  // jmp *(%rax)
  CHECK(probes::copyable_code(kDispatch.data(), 3, kSafe, kTable).length == 0);
  CHECK(whole(Code{0x8d, 0x44, 0x90, 0x10} + kDispatch));  // lea of the same address
}

// An interpreter in machine code. r13 is the address of the instruction, r14 of a local variable,
// r10 of the table, and rax the value.
struct Machine {
  std::array<void*, 4>* table;
  uint8_t* code;

  Machine() {
    code = probes::map_near(reinterpret_cast<uintptr_t>(&length_of), 4096);
    CHECK(code != nullptr);
    table = reinterpret_cast<std::array<void*, 4>*>(probes::new_pages(4096));
    CHECK(table != nullptr);
    const Code next = Code{0x49, 0xff, 0xc5, 0x41, 0x0f, 0xb6, 0x5d, 0x00} + kDispatch;
    const Code operations[] = {
        {0xc3},                         // 0: ret
        Code{0x48, 0xff, 0xc0} + next,  // 1: inc %rax
        Code{0x49, 0x03, 0x06} + next,  // 2: add (%r14),%rax
        Code{0x48, 0xa9, 1, 0, 0, 0,    // 3: test with an immediate, which is not known; jz; add
             0x74, 0x03, 0x48, 0x01, 0xc0} +
            next,
    };
    uint8_t* at = code;
    for (size_t number = 0; number < table->size(); ++number) {
      const Code& own = operations[number];
      memcpy(at, own.data(), own.size());
      (*table)[number] = at;
      at += own.size();
    }
    CHECK(probes::seal(code, 4096));
  }

  uint64_t run(const uint8_t* program, uint64_t local) const {
    uint64_t value = 0;
    asm volatile(
        "mov %[program], %%r13\n mov %[local], %%r14\n mov %[table], %%r10\n"
        "movzbl (%%r13), %%ebx\n sub $256, %%rsp\n call *(%%r10,%%rbx,8)\n add $256, %%rsp\n"
        : "+a"(value)
        : [program] "r"(program), [local] "r"(&local), [table] "r"(table->data())
        : "rbx", "r10", "r11", "r13", "r14", "rcx", "rdx", "memory", "cc");
    return value;
  }
};

void copies_run_and_count() {
  const Machine machine;
  probes::DispatchTable table;
  table.address = reinterpret_cast<uintptr_t>(machine.table);
  table.length = static_cast<int>(machine.table->size());
  table.registers = {probes::Assembler::kRsp, true, probes::Assembler::kR13, kSafe};
  const uint8_t program[] = {1, 2, 3, 1, 3, 1, 3, 0};
  const uint64_t value = machine.run(program, 6);
  CHECK(value == 62);
  const auto place = [](const probes::ThreadState&, const probes::Interrupted&, probes::Callers&) {
    return probes::Place{};
  };
  for (Mode mode : {Mode::kNothing, Mode::kCount, Mode::kMark, Mode::kPairs, Mode::kLatency}) {
    probes::Probe probe;
    CHECK(probe.start(table, mode, 1 << 2, place) == nullptr);
    for (int times = 0; times < 1000; ++times) CHECK(machine.run(program, 6) == value);
    CHECK(probe.stop() == nullptr);
    const probes::Interposition& thunks = probe.interposition();
    for (int operation = 0; operation < 4; ++operation)
      CHECK(thunks.copies(operation) == (operation == 1 || operation == 2));
    if (mode == Mode::kNothing) continue;
    const probes::Totals totals = probes::total_counts();
    CHECK(totals.counts[0] == 1000 && totals.counts[1] == 3000);
    CHECK(totals.counts[2] == 1000 && totals.counts[3] == 3000);
  }
}

}  // namespace

int main() {
  straight_code_ends_at_its_dispatch();
  branches_must_stay_inside();
  other_tables_are_seen();
  everything_else_is_refused();
  copies_run_and_count();
  return 0;
}
