#include "program.hpp"

#include <signal.h>
#include <sys/prctl.h>
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
#include "inspector.hpp"
#include "isolate.hpp"
#include "modules.hpp"
#include "runtime.hpp"
#include "snapshot.hpp"

namespace sparrow {

using v8::Local;

namespace {

constexpr const char* kHelp =
    R"(sparrow runs a JavaScript file as an ES module on V8.

    sparrow [OPTIONS] FILE [ARGUMENTS]
    sparrow                             on a terminal: reads expressions and prints their values

    --repl          reads expressions also if the input is a pipe
    --heap=SIZE     limits the heap, for example to 64m or 2g
    --v8=FLAGS      passes flags to V8, such as --v8=--jitless
    --workers=N     runs FILE in N processes, which may share a port, until all have ended
    --threads=N     runs FILE in N threads of one process; --heap then limits each thread's heap
    --check         loads FILE and its imports, but does not run them
    --inspect[=HOST:PORT]      lets a debugger, such as Chrome DevTools, attach to the program
                               (default: 127.0.0.1:9229)
    --inspect-brk[=HOST:PORT]  the same, and waits for the debugger before FILE's first line
    --no-snapshot   starts without the start-up snapshot
    -p EXPRESSION   prints the value of an expression, instead of running FILE
    --version       prints the versions of sparrow and V8
    --help          prints this page

A server that ends on SIGTERM:

    import { json, serve } from 'sparrow:http';
    import { onSignal } from 'sparrow:process';
    const server = serve({ port: 8080 }, (request) => json({ path: request.path }));
    onSignal('SIGTERM', () => server.stop());

A query:

    import { connect } from 'sparrow:postgres';
    const db = await connect('postgresql://user@localhost/name');
    console.log(await db.query('SELECT $1::int + 1 AS sum', [41]));
    db.close();

A program that runs in two processes, which share the port 8080 (startThreads(2) starts threads
instead):

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

Another program:

    import { run } from 'sparrow:children';
    const { status, stdout } = await run('sort', ['-n'], { input: '10\n9\n' });
    console.log(status, new TextDecoder().decode(stdout));

More modules: sparrow:crypto, sparrow:files, sparrow:tcp and sparrow:timers. docs/sparrow.md
describes all modules, and library/sparrow.d.ts beside this executable has their types.

Exit status: 0 the program ended, 1 it threw or a rejection was not handled, 2 a mistake in the
command, a missing module, a syntax error, or an address that cannot be listened on.
)";

struct Options {
    std::string v8_flags;
    std::size_t heap_bytes = 0;
    bool checks = false;
    bool reads = false;  // the REPL
    bool pools = false;  // FILE runs in workers or threads
    bool snapshot = true;
    bool makes_snapshot = false;
    std::optional<InspectorOption> inspector;
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

// Remembers how many workers or threads the program runs in.
bool pool_of(std::string_view word) {
    constexpr long most = 1024;
    char* end = nullptr;
    const std::string copy(word.substr(word.find('=') + 1));
    const long count = std::strtol(copy.c_str(), &end, 10);
    if (!runtime().pool.empty())
        refuse("--workers and --threads can be given only once");
    if (*end != '\0' || count < 1 || count > most)
        refuse(std::string(word.substr(0, word.find('='))) + " needs a number from 1 to 1024");
    runtime().pool = word.substr(2);
    return true;
}

Options options_of(int count, char** arguments) {
    constexpr std::size_t least_heap = 8U << 20;
    Options options;
    for (options.file = 1; options.file < count; options.file++) {
        const std::string_view word = arguments[options.file];
        if (!word.starts_with('-')) {
            if (options.reads)
                refuse("--repl cannot run a file; to run a file, leave --repl out");
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
                refuse("-p needs an expression, such as 'process.versions.v8'");
            options.expression = arguments[options.file++];
            return options;
        }
        if (word.starts_with("--heap=")) {
            const auto size = size_of(word.substr(std::strlen("--heap=")));
            if (!size || *size < least_heap)
                refuse("--heap needs a size such as 64m, which must be at least 8m");
            options.heap_bytes = *size;
        } else if (word == "--repl") {
            options.reads = true;
        } else if (word == "--check") {
            options.checks = true;
        } else if (word == "--no-snapshot") {
            options.snapshot = false;
        } else if (word == "--make-snapshot") {
            options.makes_snapshot = true;
            return options;
        } else if (word.starts_with("--workers=") || word.starts_with("--threads=")) {
            options.pools = pool_of(word);
        } else if (const auto option = inspector_option(word)) {
            if (option->port < 0)
                refuse("--inspect needs an address such as 127.0.0.1:9229");
            options.inspector = option;
        } else if (word.starts_with("--v8=")) {
            options.v8_flags += std::string(word.substr(std::strlen("--v8="))) + " ";
        } else {
            refuse("there is no option '" + std::string(word) + "'; try sparrow --help");
        }
    }
    if (!options.reads && (options.checks || !isatty(STDIN_FILENO)))
        refuse("the command names no file to run; try sparrow --help");
    options.reads = true;
    return options;
}

// The full path of the program. A file that is missing is the user's mistake.
std::string file_of(const char* argument) {
    std::error_code error;
    const auto file = std::filesystem::weakly_canonical(argument, error);
    if (!std::filesystem::is_regular_file(file, error))
        refuse(std::string("there is no file '") + argument + "'");
    return file.string();
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

void run(const std::string& file, const Options& options) {
    // A pool's own process only starts the workers.
    const bool inspected = options.inspector && !options.pools && !options.checks;
    if (inspected)
        start_inspector(*options.inspector);
    if (options.expression)
        return print_value(options.expression);
    if (options.reads) {
        start_module("sparrow:internal/repl");
        run_microtasks();
        return runtime().loop.run();
    }
    if (options.checks)
        return check_module(file);
    if (inspected && options.inspector->breaks)
        await_debugger(file);
    run_module(options.pools ? "sparrow:internal/pool" : file);
}

}  // namespace

int program(int count, char** arguments) {
    signal(SIGPIPE, SIG_IGN);
    // Without its parent a worker would go on unseen.
    if (std::getenv("SPARROW_WORKER"))
        prctl(PR_SET_PDEATHSIG, SIGTERM);
    Runtime& own = runtime();
    const char* home = std::getenv("SPARROW_HOME");
    own.home = home ? home : ".";
    unsetenv("SPARROW_HOME");
    const Options options = options_of(count, arguments);
    if (options.inspector && own.pool.starts_with("threads"))
        refuse("--inspect shows only the main thread; instead of --threads, use --workers");
    if (options.makes_snapshot) {
        start_engine(options.v8_flags);
        make_snapshot();
        end_process(0);
    }
    own.heap_bytes = options.heap_bytes;
    own.arguments = {own.home + "/sparrow"};
    std::string file;
    int first = options.file;  // of the program's arguments
    if (!options.expression && !options.reads)
        own.arguments.push_back(file = file_of(arguments[first++]));
    for (int i = first; i < count; i++)
        own.arguments.emplace_back(arguments[i]);
    for (int i = 1; i < options.file; i++) {
        // A worker has no workers of its own.
        if (own.pool.empty() || arguments[i] != "--" + own.pool)
            own.options.emplace_back(arguments[i]);
    }

    start_engine(options.v8_flags);
    if (options.snapshot)
        open_snapshot();
    in_isolate([&] {
        run(file, options);
        end_process(own.exit_status);
    });
    return 0;
}

}  // namespace sparrow
