#include "isolate.hpp"

#include <libplatform/libplatform.h>
#include <v8.h>

#include <cstdio>
#include <memory>
#include <sstream>
#include <utility>
#include <vector>

#include "collections.hpp"
#include "failure.hpp"
#include "modules.hpp"
#include "runtime.hpp"
#include "snapshot.hpp"

// Of Abseil, which the engine contains without its headers.
namespace absl {
enum class OnDeadlockCycle { kIgnore, kReport, kAbort };
__attribute__((weak)) void SetMutexDeadlockDetectionMode(OnDeadlockCycle mode);
}  // namespace absl

namespace sparrow {

using v8::Local;

namespace {

constexpr const char* kStart = "sparrow:internal/start";
constexpr int kCompilingMs = 1;  // how often the loop looks whether WebAssembly is compiled

v8::Platform* platform = nullptr;

v8::Isolate::CreateParams parameters() {
    // The memory of a SharedArrayBuffer may outlive the thread that made it.
    static v8::ArrayBuffer::Allocator* const allocator =
        v8::ArrayBuffer::Allocator::NewDefaultAllocator();
    v8::Isolate::CreateParams parameters;
    parameters.array_buffer_allocator = allocator;
    parameters.snapshot_blob = snapshot();
    parameters.external_references = module_references();
    if (runtime().heap_bytes != 0)
        parameters.constraints.ConfigureDefaultsFromHeapSize(0, runtime().heap_bytes);
    return parameters;
}

v8::Isolate* new_isolate() {
    v8::Isolate* isolate = v8::Isolate::New(parameters());
    isolate->SetMicrotasksPolicy(v8::MicrotasksPolicy::kExplicit);
    isolate->SetCaptureStackTraceForUncaughtExceptions(true, 20);
    watch_rejections(isolate);
    watch_heap(isolate);
    watch_collections(isolate);
    prepare_modules(isolate);
    return isolate;
}

void load_library() {
    const auto native = v8::Object::New(runtime().isolate);
    for (const auto define : {define_system, define_children, define_files, define_bytes,
                              define_urls, define_streams, define_tls, define_http, define_terminal,
                              define_threads, define_inspector, define_modules})
        define(native);
    restore_modules();
    start_module(kStart);
    run_microtasks();
}

// Sets the flags of the command line. V8 itself would only warn of a flag that it does not know.
void set_flags(const std::string& flags) {
    std::istringstream source(flags);
    std::vector<std::string> words{"sparrow"};
    for (std::string word; source >> word;)
        words.push_back(word);
    std::vector<char*> arguments;
    for (std::string& word : words)
        arguments.push_back(word.data());
    int count = static_cast<int>(arguments.size());
    v8::V8::SetFlagsFromCommandLine(&count, arguments.data(), true);
    if (count == 1)
        return;
    std::fprintf(stderr, "sparrow: V8 has no flag '%s'\n", arguments[1]);
    end_process(kMistake);
}

// A throw at the top of the program, also behind an await.
void report_throw(Local<v8::Promise> evaluation) {
    const auto report = [](Arguments arguments) {
        const Local<v8::Value> thrown = arguments[0];
        end_with(thrown, v8::Exception::CreateMessage(runtime().isolate, thrown), "", kFailed);
    };
    Local<v8::Function> function = v8::Function::New(context(), report).ToLocalChecked();
    evaluation->Catch(context(), function).ToLocalChecked();
}

}  // namespace

void start_engine(const std::string& flags) {
    // Abseil is compiled for debugging in this engine: each lock of V8 would search for deadlocks,
    // in a table of 1 MiB.
    if (absl::SetMutexDeadlockDetectionMode)
        absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
    // One thread helps with compiling and collecting; the rest happens on the program's own.
    v8::V8::SetFlagsFromString("--single-threaded-gc");
    // Otherwise all processes that start without our snapshot hash strings with the seed that was
    // compiled into the engine, and a client could send names whose hashes are all equal.
    v8::V8::SetFlagsFromString("--rehash-snapshot");
    set_flags(flags);
    v8::V8::InitializeICU();
    platform = v8::platform::NewDefaultPlatform(1).release();
    v8::V8::InitializePlatform(platform);
    v8::V8::Initialize();
}

void make_snapshot() {
    v8::SnapshotCreator creator(parameters());
    v8::Isolate* isolate = runtime().isolate = creator.GetIsolate();
    {
        const v8::HandleScope handles(isolate);
        const v8::Context::Scope context_scope(v8::Context::New(isolate));
        check_module(kStart);
        creator.SetDefaultContext(context());
        keep_modules(creator);
    }
    write_snapshot(creator.CreateBlob(v8::SnapshotCreator::FunctionCodeHandling::kKeep));
}

void in_isolate(const std::function<void()>& work) {
    v8::Isolate* isolate = runtime().isolate = new_isolate();
    {
        const v8::Isolate::Scope isolate_scope(isolate);
        const v8::HandleScope handles(isolate);
        const v8::Context::Scope context_scope(v8::Context::New(isolate));
        runtime().loop.after.emplace_back([isolate] {
            while (v8::platform::PumpMessageLoop(platform, isolate))
                run_microtasks();
            // Another thread compiles WebAssembly, and does not wake the loop.
            if (isolate->HasPendingBackgroundTasks())
                runtime().loop.hasten(kCompilingMs);
        });
        load_library();
        work();
        while (!runtime().parts.empty()) {
            const std::function<void()> end = std::move(runtime().parts.back());
            runtime().parts.pop_back();
            end();
        }
        runtime().loop.close();
    }
    v8::platform::NotifyIsolateShutdown(platform, isolate);
    isolate->Dispose();
}

void run_module(const std::string& name) {
    const Local<v8::Promise> evaluation = start_module(name);
    report_throw(evaluation);
    run_microtasks();
    runtime().loop.run();
    if (evaluation->State() == v8::Promise::kPending && !runtime().loop.stopped())
        end_stalled(name);
}

}  // namespace sparrow
