// The process and its machine: arguments, clocks, memory, signals, the alarm.

#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "binding.hpp"
#include "collections.hpp"
#include "terminal.hpp"
#include "threads.hpp"

extern char** environ;

namespace sparrow {

using v8::Local;

namespace {

Local<v8::Value> environment() {
    const auto all = v8::Object::New(runtime().isolate);
    for (char** entry = environ; *entry; entry++) {
        const char* equals = std::strchr(*entry, '=');
        if (!equals)
            continue;
        const std::string_view name(*entry, static_cast<std::size_t>(equals - *entry));
        all->CreateDataProperty(context(), text(name), text(equals + 1)).Check();
    }
    return all;
}

// exit(status): undefined is the status that was set.
void exit_now(Local<v8::Value> status) {
    end_process(status->IsUndefined() ? runtime().exit_status : Converted<int>::from(status));
}

Local<v8::Value> monotonic_ns() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return v8::BigInt::NewFromUnsigned(runtime().isolate,
                                       static_cast<std::uint64_t>(now.tv_sec) * 1000000000U +
                                           static_cast<std::uint64_t>(now.tv_nsec));
}

// [user, system] in microseconds.
Local<v8::Value> cpu_usage() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    const auto micros = [](timeval time) {
        return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_usec);
    };
    return array_of(micros(used.ru_utime), micros(used.ru_stime));
}

// The process's resident memory, and the heap of this thread. Sizes in bytes.
Local<v8::Value> memory() {
    v8::HeapStatistics statistics;
    runtime().isolate->GetHeapStatistics(&statistics);
    const std::size_t limit = runtime().heap_bytes;
    long pages = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> pages >> resident;
    const auto all = v8::Object::New(runtime().isolate);
    set(all, "rss", value_of(resident * sysconf(_SC_PAGESIZE)));
    set(all, "heapUsed", value_of(statistics.used_heap_size()));
    set(all, "heapTotal", value_of(statistics.total_heap_size()));
    set(all, "heapLimit", value_of(limit ? limit : statistics.heap_size_limit()));
    set(all, "external", value_of(statistics.external_memory()));
    set(all, "minorCollections", value_of(collections().minor));
    set(all, "majorCollections", value_of(collections().major));
    set(all, "collectionMs", value_of(collections().ms));
    return all;
}

Local<v8::Value> versions() {
    const auto all = v8::Object::New(runtime().isolate);
    set(all, "sparrow", text(SPARROW_VERSION));
    set(all, "v8", text(v8::V8::GetVersion()));
    return all;
}

Local<v8::Value> working_folder() {
    std::error_code error;
    const auto folder = std::filesystem::current_path(error);
    if (error)
        return throw_system_error("the working folder cannot be found", error.value());
    return text(folder.string());
}

int processors() {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    sched_getaffinity(0, sizeof allowed, &allowed);
    return CPU_COUNT(&allowed);
}

// The library's functions that the loop calls.
struct Turns {
    Callback timers, end;
    bool ends = false;
};

void on_timers(Callback handler) {
    part<Turns>().timers = std::move(handler);
    runtime().loop.on_alarm = [] { part<Turns>().timers.run(); };
}

// onTurnEnd(handler): it is called at the end of each turn of the loop in which endTurn() was
// called.
void on_turn_end(Callback handler) {
    part<Turns>().end = std::move(handler);
    runtime().loop.after.emplace_back([] {
        if (std::exchange(part<Turns>().ends, false))
            part<Turns>().end.run();
    });
}

void end_turn() {
    part<Turns>().ends = true;
    runtime().loop.hasten();
}

// Signals, from the handler to the loop: a bit each. Bit 0: SIGINT of the terminal.
std::atomic<std::uint64_t> pending_signals{0};
int signal_event = -1;

void arrived(int number, siginfo_t* info, void*) {
    const int saved = errno;
    const std::uint64_t typed = number == SIGINT && info->si_code == SI_KERNEL;
    const std::uint64_t before = pending_signals.fetch_or(1ULL << number | typed);
    // A program that never comes back to the loop can be ended by hand. A worker gets SIGINT from
    // the terminal and from its parent.
    if (typed & before) {
        restore_terminal();
        _exit(128 + SIGINT);
    }
    const std::uint64_t one = 1;
    (void)!write(signal_event, &one, sizeof one);
    errno = saved;
}

class Signals : public Watch {
public:
    explicit Signals(Callback handler) : handler_(std::move(handler)) {
        fd = signal_event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        runtime().loop.add(*this, EPOLLIN);
    }

    void ready(std::uint32_t) override {
        std::uint64_t count = 0;
        (void)!read(fd, &count, sizeof count);
        const std::uint64_t arrived = pending_signals.exchange(0);
        for (int number = 1; number < 64; number++) {
            if (arrived >> number & 1)
                handler_.run(number);
        }
    }

private:
    Callback handler_;
};

// onSignal(number, handler of all signals): the main thread's come from the system, those of a
// thread from who started it.
void on_signal(int number, Callback handler) {
    if (runtime().thread)
        return handle_signal(number, std::move(handler));
    static const Watch* signals = new Signals(std::move(handler));
    (void)signals;
    struct sigaction action{};
    action.sa_sigaction = arrived;
    action.sa_flags = SA_RESTART | SA_SIGINFO;
    sigaction(number, &action, nullptr);
}

}  // namespace

void define_system(Local<v8::Object> native) {
    define(native, {{"arguments", bound<[] { return runtime().arguments; }>},
                    {"environment", bound<environment>},
                    {"exit", bound<exit_now>},
                    {"setExitStatus", bound<[](int status) { runtime().exit_status = status; }>},
                    {"now", bound<monotonic_ms>},
                    {"monotonicNs", bound<monotonic_ns>},
                    {"cpuUsage", bound<cpu_usage>},
                    {"memory", bound<memory>},
                    {"versions", bound<versions>},
                    {"home", bound<[] { return runtime().home; }>},
                    {"workingFolder", bound<working_folder>},
                    {"processors", bound<processors>},
                    {"processId", bound<[] { return getpid(); }>},
                    {"onTimers", bound<on_timers>},
                    {"setAlarm", bound<[](double at_ms) { runtime().loop.set_alarm(at_ms); }>},
                    {"onTurnEnd", bound<on_turn_end>},
                    {"endTurn", bound<end_turn>},
                    {"hold", bound<[] { runtime().loop.hold(); }>},
                    {"release", bound<[] { runtime().loop.release(); }>},
                    {"runMicrotasks", bound<run_microtasks>},
                    {"onSignal", bound<on_signal>}});
}

}  // namespace sparrow
