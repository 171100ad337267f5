// The process and its machine: arguments, clocks, memory, signals, the alarm.

#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "runtime.hpp"
#include "terminal.hpp"
#include "threads.hpp"

extern char** environ;

namespace sparrow {

using v8::Local;

namespace {

Local<v8::Value> big(std::uint64_t value) {
    return v8::BigInt::NewFromUnsigned(runtime().isolate, value);
}

Local<v8::Value> real(double value) {
    return v8::Number::New(runtime().isolate, value);
}

std::uint64_t clock_ns(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1000000000U +
           static_cast<std::uint64_t>(now.tv_nsec);
}

void arguments_of_process(Arguments arguments) {
    const auto list = v8::Array::New(runtime().isolate);
    for (std::uint32_t i = 0; i < runtime().arguments.size(); i++) {
        list->Set(context(), i, text(runtime().arguments[i])).Check();
    }
    arguments.GetReturnValue().Set(list);
}

void environment(Arguments arguments) {
    const auto all = v8::Object::New(runtime().isolate);
    for (char** entry = environ; *entry; entry++) {
        const char* equals = std::strchr(*entry, '=');
        if (!equals)
            continue;
        const std::string_view name(*entry, static_cast<std::size_t>(equals - *entry));
        all->CreateDataProperty(context(), text(name), text(equals + 1)).Check();
    }
    arguments.GetReturnValue().Set(all);
}

void exit_now(Arguments arguments) {
    end_process(integer(arguments, 0));
}

void exit_later(Arguments arguments) {
    runtime().exit_status = integer(arguments, 0);
}

// Milliseconds of CLOCK_MONOTONIC.
void now(Arguments arguments) {
    arguments.GetReturnValue().Set(monotonic_ms());
}

void monotonic_ns(Arguments arguments) {
    arguments.GetReturnValue().Set(big(clock_ns(CLOCK_MONOTONIC)));
}

// [user, system] in microseconds.
void cpu_usage(Arguments arguments) {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    const auto micros = [](timeval time) {
        return real(static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_usec));
    };
    Local<v8::Value> both[] = {micros(used.ru_utime), micros(used.ru_stime)};
    arguments.GetReturnValue().Set(v8::Array::New(runtime().isolate, both, 2));
}

void heap(Arguments arguments) {
    v8::HeapStatistics statistics;
    runtime().isolate->GetHeapStatistics(&statistics);
    const auto all = v8::Object::New(runtime().isolate);
    set(all, "used", real(static_cast<double>(statistics.used_heap_size())));
    set(all, "total", real(static_cast<double>(statistics.total_heap_size())));
    set(all, "external", real(static_cast<double>(statistics.external_memory())));
    set(all, "limit",
        real(static_cast<double>(runtime().heap_bytes ? runtime().heap_bytes
                                                      : statistics.heap_size_limit())));
    arguments.GetReturnValue().Set(all);
}

void versions(Arguments arguments) {
    const auto all = v8::Object::New(runtime().isolate);
    set(all, "sparrow", text(SPARROW_VERSION));
    set(all, "v8", text(v8::V8::GetVersion()));
    arguments.GetReturnValue().Set(all);
}

// The folder of the launcher, where the engine's settings lie beside it.
void home(Arguments arguments) {
    arguments.GetReturnValue().Set(text(runtime().home));
}

void working_folder(Arguments arguments) {
    std::error_code error;
    const auto folder = std::filesystem::current_path(error);
    if (error)
        return throw_system_error("the working folder cannot be found", error.value());
    arguments.GetReturnValue().Set(text(folder.string()));
}

void processors(Arguments arguments) {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    sched_getaffinity(0, sizeof allowed, &allowed);
    arguments.GetReturnValue().Set(CPU_COUNT(&allowed));
}

// The library's functions that the loop calls.
struct Turns {
    v8::Global<v8::Function> timers, end;
    bool ends = false;
};

void call_back(const v8::Global<v8::Function>& function) {
    const v8::HandleScope handles(runtime().isolate);
    call(function.Get(runtime().isolate), {});
    run_microtasks();
}

void on_timers(Arguments arguments) {
    part<Turns>().timers.Reset(runtime().isolate, arguments[0].As<v8::Function>());
    runtime().loop.on_alarm = [] { call_back(part<Turns>().timers); };
}

void set_alarm(Arguments arguments) {
    runtime().loop.set_alarm(number(arguments, 0));
}

// onTurnEnd(handler): it is called at the end of each turn of the loop in which endTurn() was
// called.
void on_turn_end(Arguments arguments) {
    part<Turns>().end.Reset(runtime().isolate, arguments[0].As<v8::Function>());
    runtime().loop.after.emplace_back([] {
        if (std::exchange(part<Turns>().ends, false))
            call_back(part<Turns>().end);
    });
}

void end_turn(Arguments) {
    part<Turns>().ends = true;
    runtime().loop.hasten();
}

void hold(Arguments) {
    runtime().loop.hold();
}

void release(Arguments) {
    runtime().loop.release();
}

void run_microtasks_now(Arguments) {
    run_microtasks();
}

// Signals, from the handler to the loop.
std::atomic<std::uint64_t> pending_signals{0};
int signal_event = -1;

void arrived(int number) {
    const int saved = errno;
    const std::uint64_t before = pending_signals.fetch_or(1ULL << number);
    // A program that never comes back to the loop can be ended by hand.
    if (number == SIGINT && before >> SIGINT & 1) {
        restore_terminal();
        _exit(128 + SIGINT);
    }
    const std::uint64_t one = 1;
    (void)!write(signal_event, &one, sizeof one);
    errno = saved;
}

class Signals : public Watch {
public:
    explicit Signals(Local<v8::Function> handler) : handler_(runtime().isolate, handler) {
        fd = signal_event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        runtime().loop.add(*this, EPOLLIN);
    }

    void ready(std::uint32_t) override {
        std::uint64_t count = 0;
        (void)!read(fd, &count, sizeof count);
        const std::uint64_t arrived = pending_signals.exchange(0);
        for (int number = 1; number < 64; number++) {
            if (!(arrived >> number & 1))
                continue;
            const v8::HandleScope handles(runtime().isolate);
            call(handler_.Get(runtime().isolate), {v8::Integer::New(runtime().isolate, number)});
            run_microtasks();
        }
    }

private:
    v8::Global<v8::Function> handler_;
};

// onSignal(number, handler of all signals): the main thread's come from the system, those of a
// thread from who started it.
void on_signal(Arguments arguments) {
    if (runtime().thread)
        return handle_signal(integer(arguments, 0), arguments[1].As<v8::Function>());
    static const Watch* signals = new Signals(arguments[1].As<v8::Function>());
    (void)signals;
    struct sigaction action{};
    action.sa_handler = arrived;
    action.sa_flags = SA_RESTART;
    sigaction(integer(arguments, 0), &action, nullptr);
}

void process_id(Arguments arguments) {
    arguments.GetReturnValue().Set(static_cast<int>(getpid()));
}

}  // namespace

void define_system(Local<v8::Object> native) {
    define(native, {{"arguments", arguments_of_process},
                    {"environment", environment},
                    {"exit", exit_now},
                    {"setExitStatus", exit_later},
                    {"now", now},
                    {"monotonicNs", monotonic_ns},
                    {"cpuUsage", cpu_usage},
                    {"heap", heap},
                    {"versions", versions},
                    {"home", home},
                    {"workingFolder", working_folder},
                    {"processors", processors},
                    {"processId", process_id},
                    {"onTimers", on_timers},
                    {"setAlarm", set_alarm},
                    {"onTurnEnd", on_turn_end},
                    {"endTurn", end_turn},
                    {"hold", hold},
                    {"release", release},
                    {"runMicrotasks", run_microtasks_now},
                    {"onSignal", on_signal}});
}

}  // namespace sparrow
