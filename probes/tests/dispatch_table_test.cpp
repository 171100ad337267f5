// Tests of tables with several entries for an operation and with a copy, without a dispatching
// thread. Also tests symbols and side files.

#include "../core/dispatch_table.hpp"

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "../core/memory.hpp"
#include "../core/side_file.hpp"
#include "../core/symbols.hpp"
#include "check.hpp"

namespace {

using probes::kOperations;

constexpr int kRows = 2;
constexpr size_t kEntries = size_t{kRows} * kOperations;

__attribute__((noinline)) void handler() { asm volatile(""); }

void a_copy_is_replaced_where_it_agrees() {
  const auto own = reinterpret_cast<uintptr_t>(&handler);
  std::vector<uint64_t> entries(kEntries, own);
  entries[kOperations + 1] = own + 1;
  std::vector<uint64_t> copy = entries;
  copy[3] = 77;  // the interpreter has overwritten this entry
  const std::vector<uint64_t> entries_before = entries, copy_before = copy;
  probes::DispatchTable table;
  table.address = reinterpret_cast<uintptr_t>(entries.data());
  table.length = kEntries;
  table.copy = reinterpret_cast<uintptr_t>(copy.data());
  probes::Interposition interposition;
  CHECK(interposition.attach(table, probes::Mode::kCount) == nullptr);
  for (const uint64_t entry : entries) CHECK(interposition.holds(entry));
  CHECK(entries[0] == entries[kOperations]);      // one operation, one target
  CHECK(entries[1] != entries[kOperations + 1]);  // one operation, two targets
  CHECK(entries[0] != entries[1]);
  for (size_t at = 0; at < kEntries; ++at) CHECK(copy[at] == (at == 3 ? 77 : entries[at]));
  CHECK(!interposition.restored());
  copy[3] = entries[3];  // the interpreter has copied the table's entry again
  CHECK(interposition.detach() == nullptr);
  CHECK(interposition.restored());
  CHECK(entries == entries_before);
  CHECK(copy[3] == own);
  copy[3] = 77;
  CHECK(copy == copy_before);
}

void a_table_that_is_too_long_is_refused() {
  std::vector<uint64_t> entries(17 * kOperations);
  probes::DispatchTable table;
  table.address = reinterpret_cast<uintptr_t>(entries.data());
  table.length = static_cast<int>(entries.size());
  probes::Interposition interposition;
  CHECK(interposition.attach(table, probes::Mode::kCount) != nullptr);
}

void released_code_makes_room() {
  const std::vector<uint64_t> before(kEntries, reinterpret_cast<uintptr_t>(&handler));
  std::vector<uint64_t> entries = before;
  probes::DispatchTable table;
  table.address = reinterpret_cast<uintptr_t>(entries.data());
  table.length = kEntries;
  probes::Interposition interposition;
  interposition.release();  // without effect
  for (int times = 0; times < 2000; ++times) {
    CHECK(interposition.attach(table, probes::Mode::kSteps) == nullptr);
    const uint64_t thunk = entries[0];
    interposition.release();  // without effect, because the table is attached
    CHECK(interposition.holds(thunk));
    CHECK(interposition.detach() == nullptr);
    CHECK(interposition.holds(thunk));
    interposition.release();
    CHECK(!interposition.holds(thunk) && probes::protection_of(thunk) == -1);
    CHECK(entries == before);
  }
}

bool is_handler(std::string_view name) { return name.find("handler") != std::string_view::npos; }

void symbols_are_found_where_they_are_loaded() {
  Dl_info own;
  CHECK(dladdr(reinterpret_cast<const void*>(&is_handler), &own) != 0);
  const auto base = reinterpret_cast<uintptr_t>(own.dli_fbase);
  const auto symbols = probes::symbols_of("/proc/self/exe", base, is_handler);
  const probes::Symbol* found = probes::find_symbol(symbols, "_ZN12_GLOBAL__N_17handlerEv");
  CHECK(found != nullptr && found->address == reinterpret_cast<uintptr_t>(&handler));
  CHECK(probes::find_symbol(symbols, "no such handler") == nullptr);
  CHECK(probes::symbols_of("/bin/true", base, is_handler).empty());  // another file
  CHECK(probes::symbols_of("/dev/null", base, is_handler).empty());
}

void a_refusal_is_written_as_json() {
  char folder[] = "/tmp/runfair-side-file-XXXXXX";
  CHECK(mkdtemp(folder) != nullptr);
  setenv("RUNFAIR_PROBE_FOLDER", folder, 1);
  setenv("RUNFAIR_PROBE_MODE", "pairs", 1);
  setenv("RUNFAIR_PROBE_BYTECODES", "ADD,", 1);
  const probes::Request request = probes::request();
  CHECK(request.mode == probes::Mode::kPairs);
  probes::OperationNames names;
  CHECK(probes::unknown_bytecode(request, names, "X 1") == "no bytecode ADD in X 1");
  names[7].name = "ADD";
  CHECK(probes::unknown_bytecode(request, names, "X 1").empty());
  probes::write_refusal(request, {"x", "1", false}, "a \"quoted\"\nreason");
  std::string text;
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    ++files;
    CHECK(entry.path().extension() == ".json");
    std::ifstream file(entry.path());
    text.assign(std::istreambuf_iterator<char>(file), {});
  }
  std::filesystem::remove_all(folder);
  CHECK(files == 1);
  CHECK(text.find("\"mode\":\"pairs\"") != std::string::npos);
  CHECK(text.find("\"pid\":" + std::to_string(getpid()) + ",") != std::string::npos);
  CHECK(text.find("\"refused\":\"a \\\"quoted\\\"\\u000areason\"}") != std::string::npos);
}

}  // namespace

int main() {
  handler();
  a_copy_is_replaced_where_it_agrees();
  a_table_that_is_too_long_is_refused();
  released_code_makes_room();
  symbols_are_found_where_they_are_loaded();
  a_refusal_is_written_as_json();
  return 0;
}
