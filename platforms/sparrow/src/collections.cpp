#include "collections.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "failure.hpp"
#include "runtime.hpp"
#include "threads.hpp"

namespace sparrow {
namespace {

// Of a thread. A collection may begin within another; only the outer one counts.
struct Watching : Collections {
    int depth = 0;
    double started_ms = 0;
    std::size_t before_bytes = 0;
    int file = -1;
};

thread_local Watching watching;

std::size_t used_bytes(v8::Isolate* isolate) {
    v8::HeapStatistics statistics;
    isolate->GetHeapStatistics(&statistics);
    return statistics.used_heap_size();
}

void begin(v8::Isolate* isolate, v8::GCType, v8::GCCallbackFlags) {
    if (watching.depth++ > 0)
        return;
    if (watching.file >= 0)
        watching.before_bytes = used_bytes(isolate);
    watching.started_ms = monotonic_ms();
}

void end(v8::Isolate* isolate, v8::GCType type, v8::GCCallbackFlags flags) {
    if (--watching.depth > 0)
        return;
    const double took_ms = monotonic_ms() - watching.started_ms;
    watching.ms += took_ms;
    if (type == v8::kGCTypeMarkSweepCompact)
        watching.major++;
    else if (type == v8::kGCTypeScavenge || type == v8::kGCTypeMinorMarkSweep)
        watching.minor++;
    if (watching.file < 0)
        return;
    dprintf(watching.file,
            "{\"started_ns\":%.0f,\"duration_ns\":%.0f,\"kind\":%d,\"flags\":%d,"
            "\"before_bytes\":%zu,\"after_bytes\":%zu}\n",
            watching.started_ms * 1e6, took_ms * 1e6, type, flags, watching.before_bytes,
            used_bytes(isolate));
}

// A file for each thread, in which a reader finds what was written before the process was killed.
void open_file(const std::string& folder) {
    const std::string path = folder + "/v8-" + std::to_string(getpid()) + "-" +
                             std::to_string(thread_number()) + ".jsonl";
    watching.file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (watching.file >= 0)
        return;
    std::fprintf(stderr, "sparrow: SPARROW_EVENTS: '%s' cannot be written: %s\n", path.c_str(),
                 std::strerror(errno));
    end_process(kMistake);
}

}  // namespace

const Collections& collections() {
    return watching;
}

void watch_collections(v8::Isolate* isolate) {
    if (const char* folder = std::getenv("SPARROW_EVENTS"); folder && *folder)
        open_file(folder);
    isolate->AddGCPrologueCallback(begin);
    isolate->AddGCEpilogueCallback(end);
}

}  // namespace sparrow
