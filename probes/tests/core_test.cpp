// Tests of the core with an interpreter of a few operations. `core_test` runs all tests and fails
// with the line of the first false check.

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <x86intrin.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "../core/cycle.hpp"
#include "../core/measurement.hpp"
#include "../core/memory.hpp"
#include "../core/probe.hpp"
#include "check.hpp"

namespace {

using probes::DispatchTable;
using probes::Mode;
using probes::Probe;

enum Operation : uint8_t { kHalt, kAdd, kDouble, kHeavy, kUnused };
constexpr int kLength = 5;
constexpr int kHeavySteps = 2'000;
constexpr uint64_t kPeriod = 1 << 18;

// The tables are on their own pages, which are read-only as in an interpreter.
struct Tables {
  void* entries[kLength];
  int32_t offsets[kLength];
};
Tables* tables;

// Executes `code`; `by_offsets` dispatches through the second table. Without code it only fills
// the tables.
__attribute__((noinline)) uint64_t interpret(const uint8_t* code, bool by_offsets = false) {
  uint64_t value = 1;
  if (code == nullptr) {
    void* labels[kLength] = {&&halt, &&add, &&twice, &&heavy, &&unused};
    memcpy(tables->entries, labels, sizeof labels);
    for (int at = 0; at < kLength; ++at) {
      tables->offsets[at] = static_cast<int32_t>(reinterpret_cast<char*>(labels[at]) -
                                                 reinterpret_cast<char*>(tables->offsets));
    }
    return 0;
  }
#define NEXT                                                                   \
  do {                                                                         \
    const uint8_t operation = *code++;                                         \
    if (by_offsets)                                                            \
      goto* reinterpret_cast<void*>(reinterpret_cast<char*>(tables->offsets) + \
                                    tables->offsets[operation]);               \
    goto * tables->entries[operation];                                         \
  } while (false)
  NEXT;
add:
  value += 1;
  NEXT;
twice:
  value *= 2;
  NEXT;
heavy:
  for (int step = 0; step < kHeavySteps; ++step) asm volatile("imul $3, %0, %0" : "+r"(value));
  NEXT;
unused:
  abort();
halt:
#undef NEXT
  return value;
}

DispatchTable table_of(bool twin) {
  DispatchTable table;
  table.address = reinterpret_cast<uintptr_t>(tables->entries);
  table.length = kLength;
  if (twin) {
    table.twin = reinterpret_cast<uintptr_t>(tables->offsets);
    table.twin_length = kLength;
  }
  return table;
}

constexpr uint8_t kProgram[] = {kAdd, kAdd, kDouble, kAdd, kDouble, kHalt};
constexpr uint64_t kValue = 14;

std::array<uint64_t, kLength> counted() {
  const probes::Totals totals = probes::total_counts();
  std::array<uint64_t, kLength> found;
  for (size_t at = 0; at < kLength; ++at) found[at] = totals.counts[at];
  return found;
}

probes::Place mark_only(const probes::ThreadState& state, const probes::Interrupted&,
                        probes::Callers&) {
  probes::Place place;
  if (state.mark != 0) place.operation = static_cast<uint16_t>(state.mark - 1);
  return place;
}

void counts_are_exact_and_nothing_is_left_behind() {
  const auto address = reinterpret_cast<uintptr_t>(tables->entries);
  Tables before;
  memcpy(&before, tables, sizeof before);
  for (Mode mode : {Mode::kCount, Mode::kPairs, Mode::kMark, Mode::kLatency, Mode::kSteps}) {
    Probe probe;
    CHECK(probe.start(table_of(true), mode, kPeriod, mark_only) == nullptr);
    CHECK(probes::protection_of(address) == PROT_READ);
    CHECK(memcmp(&before, tables, sizeof before) != 0);
    for (bool by_offsets : {false, true}) CHECK(interpret(kProgram, by_offsets) == kValue);
    CHECK(probe.stop() == nullptr);
    CHECK((counted() == std::array<uint64_t, kLength>{2, 6, 4, 0, 0}));
    CHECK(interpret(kProgram) == kValue);
    CHECK((counted() == std::array<uint64_t, kLength>{2, 6, 4, 0, 0}));
    CHECK(probe.interposition().restored());
    CHECK(memcmp(&before, tables, sizeof before) == 0);
    CHECK(probes::protection_of(address) == PROT_READ);
  }
}

void a_detour_without_counting_counts_nothing() {
  Probe probe;
  CHECK(probe.start(table_of(false), Mode::kNothing, 0, nullptr) == nullptr);
  CHECK(interpret(kProgram) == kValue);
  CHECK(probe.stop() == nullptr);
  CHECK((counted() == std::array<uint64_t, kLength>{}));
}

void pairs_say_what_follows_what() {
  Probe probe;
  CHECK(probe.start(table_of(false), Mode::kPairs, 0, nullptr) == nullptr);
  CHECK(interpret(kProgram) == kValue);
  CHECK(interpret(kProgram) == kValue);
  CHECK(probe.stop() == nullptr);
  const probes::Totals totals = probes::total_counts();
  auto pair = [&](int first, int second) {
    return totals
        .pairs[static_cast<size_t>(first) * probes::kOperations + static_cast<size_t>(second)];
  };
  CHECK(pair(kAdd, kAdd) == 2 && pair(kAdd, kDouble) == 4 && pair(kDouble, kAdd) == 2);
  CHECK(pair(kDouble, kHalt) == 2 && pair(kHalt, kAdd) == 1);
}

void samples_fall_where_the_time_goes() {
  std::vector<uint8_t> code;
  for (int at = 0; at < 100'000; ++at) {
    code.push_back(kAdd);
    code.push_back(kHeavy);
  }
  code.push_back(kHalt);
  Probe probe;
  CHECK(probe.start(table_of(false), Mode::kMark, kPeriod, mark_only) == nullptr);
  interpret(code.data());
  CHECK(probe.stop() == nullptr);
  uint64_t heavy = 0, all = 0;
  for (const probes::Sample& sample : probe.sampler().samples()) {
    all += sample.count;
    if (sample.place.operation == kHeavy) heavy += sample.count;
  }
  CHECK(probe.cpu_ns() > 10'000'000);
  CHECK(all > 10);
  CHECK(heavy * 10 > all * 8);
}

uint64_t sampled_code;

probes::Place with_a_caller(const probes::ThreadState&, const probes::Interrupted&,
                            probes::Callers& callers) {
  callers.add(0x10);
  probes::Place place;
  place.code = sampled_code;
  return place;
}

void a_known_place_has_its_callers_when_there_is_no_room_for_new_ones() {
  constexpr uint64_t kNever = uint64_t{1} << 50, kCode = 0x10, kPlaces = 70'000;
  Probe probe;
  CHECK(probe.start(table_of(false), Mode::kMark, kNever, with_a_caller) == nullptr);
  for (uint64_t place = 1; place <= kPlaces; ++place) {
    sampled_code = place * kCode;
    raise(SIGURG);
  }
  sampled_code = kCode;
  raise(SIGURG);
  CHECK(probe.stop() == nullptr);
  uint64_t known = 0, fresh = 0;
  for (const probes::Sample& sample : probe.sampler().samples()) {
    const bool has_callers = sample.caller != probes::CallTree::kTruncated;
    if (sample.place.code == kCode && has_callers) known += sample.count;
    if (sample.place.code == kPlaces * kCode && !has_callers) fresh += sample.count;
  }
  CHECK(known == 2 && fresh == 1 && probe.sampler().lost() == 0);
}

void a_thread_whose_descriptor_the_program_closes_is_lost() {
  Probe probe;
  CHECK(probe.start(table_of(false), Mode::kMark, kPeriod, mark_only) == nullptr);
  CHECK(probe.sampler().lost() == 0);
  for (int descriptor = 3; descriptor < 1024; ++descriptor) close(descriptor);
  const uint64_t expected = strcmp(probe.sampler().source(), "CPU timer") == 0 ? 0 : 1;
  CHECK(probe.stop() == nullptr);
  CHECK(probe.sampler().lost() == expected);
}

// Alternates `times` between an operation with one step and an operation with many, in a measuring
// mode. Returns the ticks of an empty operation in kLatency.
double interpret_alternately(Mode mode, uint64_t period, uint64_t times) {
  std::vector<uint8_t> code;
  for (uint64_t at = 0; at < times; ++at) code.insert(code.end(), {kAdd, kHeavy, kDouble});
  code.push_back(kHalt);
  Probe probe;
  CHECK(probe.start(table_of(false), mode, period, mark_only) == nullptr);
  interpret(code.data());
  CHECK(probe.stop() == nullptr);
  CHECK((counted() == std::array<uint64_t, kLength>{1, times, times, times, 0}));
  return probe.fences_ns().mean * probe.ticks_per_ns();
}

double mean_of(int operation) {
  const probes::Moments& moments = probes::moments_of(operation);
  CHECK(moments.count > 10);
  return static_cast<double>(moments.sum) / static_cast<double>(moments.count);
}

void a_long_operation_takes_long() {
  const double fences = interpret_alternately(Mode::kLatency, 8, 20'000);
  CHECK(fences > 0);
  // Each step waits three cycles for the previous step.
  CHECK(mean_of(kHeavy) - fences > 10 * (mean_of(kAdd) - fences));
  CHECK(mean_of(kHeavy) > kHeavySteps);
}

void instructions_are_counted_one_by_one() {
  // Each sampled operation with many steps has thousands of traps, which the kernel handles slowly.
  interpret_alternately(Mode::kSteps, 64, 4'000);
  // imul, and at most three instructions that count the loop.
  CHECK(mean_of(kHeavy) > 2 * kHeavySteps && mean_of(kHeavy) < 4.1 * kHeavySteps);
  const probes::Moments& add = probes::moments_of(kAdd);
  CHECK(mean_of(kAdd) >= 2 && mean_of(kAdd) < 40);
  // Every execution took the same path.
  CHECK(add.sum * add.sum == add.count * add.sum_of_squares);
}

constexpr int kThreads = 8, kRounds = 20'000;

void* interpret_often(void* gate) {
  for (int round = 0; round < kRounds; ++round) CHECK(interpret(kProgram) == kValue);
  auto* barrier = static_cast<pthread_barrier_t*>(gate);
  if (barrier != nullptr) {
    pthread_barrier_wait(barrier);
    pthread_barrier_wait(barrier);
  }
  return nullptr;
}

// Sets the trap flag, as a new thread inherits it from a stepping thread.
void a_thread_that_is_not_measured_does_not_step() {
  Probe probe;
  CHECK(probe.start(table_of(false), Mode::kSteps, kPeriod, nullptr) == nullptr);
  uint64_t flags;
  asm volatile("pushfq\n orl $0x100, (%%rsp)\n popfq\n nop\n nop\n pushfq\n pop %[flags]\n"
               : [flags] "=r"(flags)
               :
               : "memory", "cc");
  CHECK((flags & 0x100) == 0);
  CHECK(probe.stop() == nullptr);
}

// Half of the threads have ended when the counts are added; the others are still alive.
void every_thread_counts_for_itself() {
  for (Mode mode : {Mode::kCount, Mode::kMark, Mode::kPairs}) {
    Probe probe;
    CHECK(probe.start(table_of(false), mode, kPeriod, mark_only) == nullptr);
    pthread_barrier_t gate;
    pthread_barrier_init(&gate, nullptr, kThreads / 2 + 1);
    pthread_t threads[kThreads];
    for (int at = 0; at < kThreads; ++at)
      CHECK(pthread_create(&threads[at], nullptr, interpret_often, at % 2 == 0 ? &gate : nullptr) ==
            0);
    for (int at = 1; at < kThreads; at += 2) pthread_join(threads[at], nullptr);
    pthread_barrier_wait(&gate);
    CHECK(probe.stop() == nullptr);
    const auto found = counted();
    CHECK(found[kHalt] == uint64_t{kThreads} * kRounds && found[kAdd] == 3 * found[kHalt]);
    if (mode == Mode::kPairs) {
      const probes::Totals totals = probes::total_counts();
      CHECK(totals.pairs[kAdd * probes::kOperations + kDouble] == 2 * found[kHalt]);
    }
    pthread_barrier_wait(&gate);
    for (int at = 0; at < kThreads; at += 2) pthread_join(threads[at], nullptr);
    CHECK(counted() == found);
    pthread_barrier_destroy(&gate);
  }
}

void* interpret_once(void*) {
  CHECK(interpret(kProgram) == kValue);
  return nullptr;
}

constexpr long kShortThreads = 50;

long page_faults_of_short_threads(Mode mode) {
  Probe probe;
  CHECK(probe.start(table_of(false), mode, 0, nullptr) == nullptr);
  rusage before, after;
  getrusage(RUSAGE_SELF, &before);
  for (int at = 0; at < kShortThreads; ++at) {
    pthread_t thread;
    CHECK(pthread_create(&thread, nullptr, interpret_once, nullptr) == 0);
    pthread_join(thread, nullptr);
  }
  getrusage(RUSAGE_SELF, &after);
  CHECK(probe.stop() == nullptr);
  CHECK(counted()[kHalt] == kShortThreads);
  return after.ru_minflt - before.ru_minflt;
}

// It touches few of the pages with room for its pairs, and the next thread gets its room empty.
// Sanitizers cause page faults of their own in every thread.
void a_short_thread_has_few_page_faults() {
  constexpr long kMostFaults = 10;
  const long without_pairs = page_faults_of_short_threads(Mode::kCount);
  const long with_pairs = page_faults_of_short_threads(Mode::kPairs);
  const std::vector<uint64_t> pairs = probes::total_counts().pairs;
  CHECK(pairs[kAdd * probes::kOperations + kDouble] == 2 * kShortThreads);
  CHECK(pairs[probes::kOperations * probes::kOperations + kAdd] == kShortThreads);
  CHECK(with_pairs - without_pairs < kShortThreads * kMostFaults);
}

void a_forked_child_counts_only_its_own() {
  for (Mode mode : {Mode::kCount, Mode::kMark, Mode::kPairs}) {
    Probe probe;
    CHECK(probe.start(table_of(false), mode, kPeriod, mark_only) == nullptr);
    CHECK(interpret(kProgram) == kValue);
    const pid_t child = fork();
    if (child == 0) {
      CHECK(interpret(kProgram) == kValue);
      CHECK(interpret(kProgram) == kValue);
      CHECK(probe.stop() == nullptr);
      CHECK((counted() == std::array<uint64_t, kLength>{2, 6, 4, 0, 0}));
      _exit(0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK(probe.stop() == nullptr);
    CHECK((counted() == std::array<uint64_t, kLength>{1, 3, 2, 0, 0}));
  }
}

uint64_t measured_additions() {
  const probes::Moments& moments = probes::moments_of(kAdd);
  return moments.count + moments.nested + moments.interrupted;
}

void a_forked_child_measures_only_its_own() {
  constexpr uint64_t kOften = 8, kTimes = 1'000;
  for (Mode mode : {Mode::kLatency, Mode::kSteps}) {
    Probe probe;
    CHECK(probe.start(table_of(false), mode, kOften, nullptr) == nullptr);
    for (uint64_t at = 0; at < kTimes; ++at) CHECK(interpret(kProgram) == kValue);
    const uint64_t before = measured_additions();
    CHECK(before > 10);
    const pid_t child = fork();
    if (child == 0) {
      CHECK(interpret(kProgram) == kValue);
      CHECK(probe.stop() == nullptr);
      CHECK(measured_additions() <= 3);
      _exit(0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK(probe.stop() == nullptr);
    CHECK(measured_additions() == before);
  }
}

// Calls a thunk with known values in the registers and below the stack. The thunk's target only
// returns.
void thunks_keep_registers_and_the_stack() {
  uint8_t* code = probes::map_near(reinterpret_cast<uintptr_t>(&interpret), 4096);
  CHECK(code != nullptr);
  probes::Assembler assembler(code, code + 4096);
  const auto target = reinterpret_cast<uintptr_t>(assembler.here());
  assembler.bytes({0xc3});
  for (Mode mode : {Mode::kNothing, Mode::kCount, Mode::kMark, Mode::kPairs}) {
    probes::write_thunk(assembler, mode, kAdd, target);
  }
  const uint8_t* end = assembler.here();
  CHECK(!assembler.full() && probes::seal(code, 4096));
  probes::observe_threads(nullptr, true);
  for (const uint8_t* at = code + 16; at < end; at += 16) {
    if (memcmp(at, "\xf3\x0f\x1e\xfa", 4) != 0) continue;
    uint64_t changed = 0;
    uint64_t rax = 1, rcx = 2, rdx = 3, rsi = 4, rdi = 5;
    // The function is not a leaf, so it does not use the red zone itself.
    asm volatile(
        "sub $256, %%rsp\n movq $77, -16(%%rsp)\n movq $78, -120(%%rsp)\n"
        "mov $6, %%r8\n mov $7, %%r9\n mov $8, %%r10\n mov $9, %%r11\n mov %%rsp, %%r12\n"
        "call *%[thunk]\n"
        "cmp %%rsp, %%r12\n setne %b[changed]\n"
        "sub $6, %%r8\n sub $7, %%r9\n or %%r9, %%r8\n sub $8, %%r10\n or %%r10, %%r8\n"
        "sub $9, %%r11\n or %%r11, %%r8\n"
        "subq $77, -16(%%rsp)\n or -16(%%rsp), %%r8\n"
        "subq $78, -120(%%rsp)\n or -120(%%rsp), %%r8\n"
        "or %%r8, %[changed]\n add $256, %%rsp\n"
        : [changed] "+r"(changed), "+a"(rax), "+c"(rcx), "+d"(rdx), "+S"(rsi), "+D"(rdi)
        : [thunk] "r"(at)
        : "r8", "r9", "r10", "r11", "r12", "memory", "cc");
    CHECK(changed == 0);
    CHECK(rax == 1 && rcx == 2 && rdx == 3 && rsi == 4 && rdi == 5);
  }
  probes::ignore_threads();
}

void memory_that_is_gone_is_not_read() {
  uint64_t value = 7, copy = 0;
  CHECK(probes::read_memory(reinterpret_cast<uintptr_t>(&value), &copy, sizeof copy));
  CHECK(copy == 7);
  CHECK(!probes::read_memory(16, &copy, sizeof copy));
}

void memory_is_read_in_blocks_up_to_the_end_of_what_is_mapped() {
  constexpr size_t kPage = 4096;
  auto* page = static_cast<uint8_t*>(probes::new_pages(2 * kPage));
  CHECK(page != nullptr);
  probes::free_pages(page + kPage, kPage);
  const auto address = reinterpret_cast<uintptr_t>(page);
  page[kPage - 8] = 7;
  page[8] = 9;
  probes::MemoryReader reader;
  uint64_t value = 0;
  CHECK(reader.read(address + kPage - 8, value) && value == 7);
  CHECK(!reader.read(address + kPage, value));
  CHECK(!reader.read(16, value));
  CHECK(!reader.read(address + 4, value));
  CHECK(reader.read(address + 8, value) && value == 9);
  probes::free_pages(page, kPage);
  CHECK(!probes::MemoryReader().read(address + 8, value));
}

void call_paths_are_stored_once_and_truncated_beyond_their_room() {
  using probes::CallTree;
  probes::CallTree tree;
  CHECK(tree.calls().empty());
  CHECK(tree.renew());
  probes::Callers inner, outer, deep;
  CHECK(tree.index_of(inner) == CallTree::kBottom);
  CHECK(outer.add(0x100) && inner.add(0x200) && inner.add(0x100));
  const uint32_t own = tree.index_of(inner);
  CHECK(tree.index_of(inner) == own);
  const std::vector<probes::Call> calls = tree.calls();
  CHECK(calls.size() == 4);
  CHECK(calls[own].function == 0x200 && calls[own].caller == tree.index_of(outer));
  CHECK(calls[calls[own].caller].caller == CallTree::kBottom);
  outer.truncate();
  const uint32_t truncated = tree.index_of(outer);
  CHECK(tree.calls()[truncated].caller == CallTree::kTruncated);
  for (int at = 0; at < probes::Callers::kMost; ++at) CHECK(deep.add(0x300));
  CHECK(deep.complete() && !deep.add(0x300) && !deep.complete());
  CHECK(deep.count() == probes::Callers::kMost);
  // A full tree says that the callers are missing. Paths that it has are still found.
  for (uint64_t function = 1; tree.index_of(inner) == own; ++function) {
    probes::Callers next;
    next.add(function << 4);
    if (tree.index_of(next) != CallTree::kTruncated) continue;
    CHECK(tree.index_of(inner) == own);
    CHECK(tree.renew() && tree.calls().size() == CallTree::kFirst);
    return;
  }
  CHECK(false);
}

void what_is_wrong_is_said() {
  Probe probe;
  CHECK(probe.stop() != nullptr);
  CHECK(probe.start(DispatchTable{}, Mode::kCount, 0, nullptr) != nullptr);
  CHECK(!probe.running());
  CHECK(probe.start(table_of(false), Mode::kCount, 0, nullptr) == nullptr);
  CHECK(strcmp(probe.start(table_of(false), Mode::kCount, 0, nullptr), "already attached") == 0);
  CHECK(probe.stop() == nullptr);
}

// A processor needs one cycle for each addition that needs the result of the one before it.
void a_cycle_is_as_long_as_an_addition() {
  constexpr int kAdditions = 1 << 14;
  uint64_t shortest = UINT64_MAX;
  for (int round = 0; round < 50; ++round) {
    uint64_t value = 1;
    const uint64_t before = __rdtsc();
    for (int at = 0; at < kAdditions / 32; ++at)
      asm volatile(".rept 32\n add %0, %0\n .endr\n" : "+r"(value) : : "cc");
    shortest = std::min<uint64_t>(shortest, __rdtsc() - before);
  }
  const double addition = static_cast<double>(shortest) / kAdditions;
  double cycle = probes::ticks_per_cycle();
  for (int round = 0; round < 10; ++round) cycle = std::min(cycle, probes::ticks_per_cycle());
  CHECK(cycle > 0.9 * addition && cycle < 1.1 * addition);
}

}  // namespace

int main() {
  void* pages =
      mmap(nullptr, sizeof(Tables), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  // The offsets of the second table need an address within 2 GB of the code.
  if (uint8_t* near = probes::map_near(reinterpret_cast<uintptr_t>(&interpret), 4096)) pages = near;
  CHECK(pages != MAP_FAILED);
  tables = static_cast<Tables*>(pages);
  interpret(nullptr);
  CHECK(mprotect(pages, 4096, PROT_READ) == 0);
  counts_are_exact_and_nothing_is_left_behind();
  a_detour_without_counting_counts_nothing();
  pairs_say_what_follows_what();
  samples_fall_where_the_time_goes();
  a_known_place_has_its_callers_when_there_is_no_room_for_new_ones();
  a_thread_whose_descriptor_the_program_closes_is_lost();
  a_long_operation_takes_long();
  instructions_are_counted_one_by_one();
  a_thread_that_is_not_measured_does_not_step();
  every_thread_counts_for_itself();
  a_short_thread_has_few_page_faults();
  a_forked_child_counts_only_its_own();
  a_forked_child_measures_only_its_own();
  thunks_keep_registers_and_the_stack();
  memory_that_is_gone_is_not_read();
  memory_is_read_in_blocks_up_to_the_end_of_what_is_mapped();
  call_paths_are_stored_once_and_truncated_beyond_their_room();
  a_cycle_is_as_long_as_an_addition();
  what_is_wrong_is_said();
  return 0;
}
