#include "threads.hpp"

#include <string.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>

#include "failure.hpp"
#include "isolate.hpp"
#include "messages.hpp"
#include "ports.hpp"

namespace sparrow {

using v8::Local;

namespace {

void run_thread(const std::shared_ptr<Thread>& thread, const Settings& settings) {
    Runtime& own = runtime();
    static_cast<Settings&>(own) = settings;
    own.thread = thread;
    in_isolate([&] { run_module(own.arguments[1]); });
    thread->status = thread->asked_to_end ? 1 : own.exit_status;
    thread->answers.wake();
}

// startThread(file, data, events): the number of the port to a thread that runs this file.
Local<v8::Value> start_thread(const std::string& file, Local<v8::Value> data, Callback events) {
    static std::atomic<int> last{kStarter};
    const auto thread = std::make_shared<Thread>(++last);
    if (thread->inbox.descriptor() < 0 || thread->answers.descriptor() < 0)
        return throw_system_error("a thread cannot be started", EMFILE);
    if (!write(data, thread->data))
        return {};
    Settings settings = runtime();
    settings.arguments.resize(std::max<std::size_t>(settings.arguments.size(), 2));
    settings.arguments[1] = file;
    std::thread runs;
    try {
        runs = std::thread(run_thread, thread, settings);
    } catch (const std::system_error& error) {
        return throw_system_error("a thread cannot be started", error.code().value());
    }
    auto* port = new ThreadPort(thread, std::move(runs), std::move(events));
    part<Ports>().all.emplace(thread->number, port);
    return value_of(thread->number);
}

// openStarter(events): the number of the port to this thread's starter.
int open_starter(Callback events) {
    part<Ports>().all.emplace(kStarter, new StarterPort(runtime().thread, std::move(events)));
    return kStarter;
}

// threadData(): what the thread was started with; undefined in the main thread.
Local<v8::Value> thread_data() {
    const auto& thread = runtime().thread;
    return (thread ? read(thread->data) : v8::MaybeLocal<v8::Value>())
        .FromMaybe(Local<v8::Value>());
}

// signalThread(port, number): what the system would do to a process without a handler, this does
// to the process of the thread.
void signal_thread(Port* port, int number) {
    if (!port)
        return;
    Thread& thread = port->thread();
    if (!(thread.handled >> number & 1)) {
        // The process ends already, because another thread has failed.
        if (runtime().exit_status != 0)
            end_process(runtime().exit_status);
        std::fprintf(stderr, "sparrow: thread %d has no handler for signal %d (%s)\n",
                     thread.number, number, sigdescr_np(number));
        end_process(128 + number);
    }
    thread.signals |= 1ULL << number;
    thread.inbox.wake();
}

}  // namespace

void handle_signal(int number, Callback handler) {
    part<Ports>().signal_handler = std::move(handler);
    runtime().thread->handled |= 1ULL << number;
}

int thread_number() {
    return runtime().thread ? runtime().thread->number : 0;
}

std::string thread_prefix() {
    return runtime().thread ? "thread " + std::to_string(thread_number()) + ": " : "";
}

// The functions of a port; `end`: the thread ends when it is back in its loop.
void define_threads(Local<v8::Object> native) {
    define(native, {{"startThread", bound<start_thread>},
                    {"openStarter", bound<open_starter>},
                    {"threadData", bound<thread_data>},
                    {"threadNumber", bound<thread_number>},
                    {"pool", bound<[] { return runtime().pool; }>},
                    {"sendMessage", bound<&Port::send>},
                    {"holdPort", bound<&Port::hold>},
                    {"listenPort", bound<&Port::listen>},
                    {"endThread", bound<&Port::end>},
                    {"signalThread", bound<signal_thread>}});
}

}  // namespace sparrow
