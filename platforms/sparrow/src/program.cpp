#include "program.hpp"

#include <libplatform/libplatform.h>
#include <signal.h>
#include <unistd.h>
#include <v8.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

#include "failure.hpp"
#include "modules.hpp"
#include "runtime.hpp"

namespace sparrow {

using v8::Local;

namespace {

constexpr const char* kHelp =
    R"(sparrow runs a JavaScript file as an ES module on V8.

    sparrow [OPTIONS] FILE [ARGUMENTS]
    sparrow                             on a terminal: reads expressions and prints their values

    --repl          the same when input is a pipe
    --heap=SIZE     the heap's limit, such as 64m or 2g
    --v8=FLAGS      flags of V8, such as --v8=--jitless
    --check         loads FILE and what it imports, and runs none of it
    -p EXPRESSION   prints the value of an expression, instead of running FILE
    --version       the versions of sparrow and V8
    --help          this page

A server that ends when it is told to:

    import { json, serve } from 'sparrow:http';
    import { onSignal } from 'sparrow:process';
    const server = serve({ port: 8080 }, (request) => json({ path: request.path }));
    onSignal('SIGTERM', () => server.stop());

A query:

    import { connect } from 'sparrow:postgres';
    const db = await connect('postgresql://user@localhost/name');
    console.log(await db.query('SELECT $1::int + 1 AS sum', [41]));
    db.close();

This program in two processes that share the port 8080:

    import { serve } from 'sparrow:http';
    import { startWorkers, worker } from 'sparrow:workers';
    if (worker) serve({ port: 8080, share: true }, () => `from worker ${worker.index}`);
    else startWorkers(2);

Messages both ways (WebSocket):

    import { serve } from 'sparrow:http';
    import { upgrade } from 'sparrow:websocket';
    serve({ port: 8080 }, (request) => upgrade(request, (socket) => {
      socket.onmessage = (message) => socket.send(message);
    }));

More modules: sparrow:crypto, sparrow:files, sparrow:tcp and sparrow:timers. docs/sparrow.md
describes all modules, and library/sparrow.d.ts beside this executable has their types.

Exit status: 0 the program ended, 1 it threw or a rejection was not handled, 2 a mistake in the
command, a missing module or a syntax error.
)";

struct Options {
    std::string v8_flags;
    std::size_t heap_bytes = 0;
    bool checks = false;
    bool reads = false;  // the REPL
    const char* expression = nullptr;
    int file = 0;  // the index of FILE; behind -p, of the first argument
};

[[noreturn]] void refuse(const std::string& why) {
    std::fprintf(stderr, "sparrow: %s\n", why.c_str());
    end_process(kMistake);
}

// The digest is that of the sources, which the command writes where it builds.
[[noreturn]] void print_version() {
    std::printf("sparrow %s\nv8 %s\n", SPARROW_VERSION, v8::V8::GetVersion());
    std::ifstream built(runtime().home + "/digest");
    if (std::string digest; built >> digest)
        std::printf("build %s\n", digest.c_str());
    end_process(0);
}

std::optional<std::size_t> size_of(std::string_view words) {
    char* end = nullptr;
    const std::string copy(words);
    const double count = std::strtod(copy.c_str(), &end);
    const std::string unit(end);
    if (end == copy.c_str() || count <= 0 || (unit != "m" && unit != "g"))
        return std::nullopt;
    return static_cast<std::size_t>(count * (unit == "m" ? 1U << 20 : 1U << 30));
}

Options options_of(int count, char** arguments) {
    constexpr std::size_t least_heap = 8U << 20;
    Options options;
    for (options.file = 1; options.file < count; options.file++) {
        const std::string_view word = arguments[options.file];
        if (!word.starts_with('-')) {
            if (options.reads)
                refuse("--repl takes no file; to run one, leave --repl out");
            return options;
        }
        if (word == "--help" || word == "-h") {
            std::fputs(kHelp, stdout);
            std::exit(0);
        }
        if (word == "--version")
            print_version();
        if (word == "-p") {
            if (++options.file == count)
                refuse("-p takes an expression, such as 'process.versions.v8'");
            options.expression = arguments[options.file++];
            return options;
        }
        if (word.starts_with("--heap=")) {
            const auto size = size_of(word.substr(std::strlen("--heap=")));
            if (!size || *size < least_heap)
                refuse("--heap takes a size such as 64m, at least 8m");
            options.heap_bytes = *size;
        } else if (word == "--repl") {
            options.reads = true;
        } else if (word == "--check") {
            options.checks = true;
        } else if (word.starts_with("--v8=")) {
            options.v8_flags += std::string(word.substr(std::strlen("--v8="))) + " ";
        } else {
            refuse("no option is called '" + std::string(word) + "'; try sparrow --help");
        }
    }
    if (!options.reads && (options.checks || !isatty(STDIN_FILENO)))
        refuse("which file? try sparrow --help");
    options.reads = true;
    return options;
}

v8::Isolate* new_isolate(std::size_t heap_bytes) {
    v8::Isolate::CreateParams parameters;
    parameters.array_buffer_allocator = v8::ArrayBuffer::Allocator::NewDefaultAllocator();
    if (heap_bytes != 0)
        parameters.constraints.ConfigureDefaultsFromHeapSize(0, heap_bytes);
    v8::Isolate* isolate = v8::Isolate::New(parameters);
    isolate->SetMicrotasksPolicy(v8::MicrotasksPolicy::kExplicit);
    isolate->SetCaptureStackTraceForUncaughtExceptions(true, 20);
    watch_rejections(isolate);
    watch_heap(isolate);
    prepare_modules(isolate);
    return isolate;
}

// The full path of the program. A file that is missing is the user's mistake.
std::string file_of(const char* argument) {
    std::error_code error;
    const auto file = std::filesystem::weakly_canonical(argument, error);
    if (!std::filesystem::is_regular_file(file, error))
        refuse(std::string("there is no file '") + argument + "'");
    return file.string();
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

void finish(const std::string& name, Local<v8::Promise> evaluation) {
    report_throw(evaluation);
    run_microtasks();
    runtime().loop.run();
    if (evaluation->State() == v8::Promise::kPending)
        end_stalled(name);
}

void print_value(const char* expression) {
    v8::TryCatch attempt(runtime().isolate);
    const v8::ScriptOrigin origin(constant("[expression]"));
    Local<v8::Script> script;
    Local<v8::Value> value;
    if (!v8::Script::Compile(context(), text(expression), const_cast<v8::ScriptOrigin*>(&origin))
             .ToLocal(&script))
        end_with(attempt, kMistake);
    if (!script->Run(context()).ToLocal(&value))
        end_with(attempt);
    const auto get = [](Local<v8::Value> from, const char* name) {
        return from.As<v8::Object>()->Get(context(), constant(name)).ToLocalChecked();
    };
    call(get(get(context()->Global(), "console"), "log").As<v8::Function>(), {value});
    run_microtasks();
    runtime().loop.run();
}

void run(v8::Platform* platform, const std::string& file, const Options& options) {
    v8::Isolate* isolate = runtime().isolate;
    const v8::Isolate::Scope isolate_scope(isolate);
    const v8::HandleScope handles(isolate);
    const Local<v8::Context> context = v8::Context::New(isolate);
    const v8::Context::Scope context_scope(context);
    runtime().context.Reset(isolate, context);
    const auto native = v8::Object::New(isolate);
    define_system(native);
    define_files(native);
    define_bytes(native);
    define_streams(native);
    define_http(native);
    define_terminal(native);
    define_modules(native);
    runtime().loop.after.emplace_back([=] {
        while (v8::platform::PumpMessageLoop(platform, isolate))
            run_microtasks();
    });
    start_module("sparrow:internal/start");
    run_microtasks();
    if (options.expression)
        return print_value(options.expression);
    if (options.reads) {
        start_module("sparrow:internal/repl");
        run_microtasks();
        return runtime().loop.run();
    }
    if (options.checks)
        return check_module(file);
    finish(file, start_module(file));
}

}  // namespace

int program(int count, char** arguments) {
    signal(SIGPIPE, SIG_IGN);
    Runtime& own = runtime();
    const char* home = std::getenv("SPARROW_HOME");
    own.home = home ? home : ".";
    unsetenv("SPARROW_HOME");
    const Options options = options_of(count, arguments);
    own.heap_bytes = options.heap_bytes;
    own.arguments = {own.home + "/sparrow"};
    std::string file;
    int first = options.file;  // of the program's arguments
    if (!options.expression && !options.reads)
        own.arguments.push_back(file = file_of(arguments[first++]));
    for (int i = first; i < count; i++)
        own.arguments.emplace_back(arguments[i]);
    for (int i = 1; i < options.file; i++)
        own.options.emplace_back(arguments[i]);

    // One thread helps with compiling and collecting; the rest happens on the
    // program's own.
    v8::V8::SetFlagsFromString("--single-threaded-gc");
    v8::V8::SetFlagsFromString(options.v8_flags.c_str());
    v8::V8::InitializeICU();
    const auto platform = v8::platform::NewDefaultPlatform(1);
    v8::V8::InitializePlatform(platform.get());
    v8::V8::Initialize();
    own.isolate = new_isolate(options.heap_bytes);
    run(platform.get(), file, options);
    end_process(own.exit_status);
}

}  // namespace sparrow
