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
#include "runtime.hpp"

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
void start_thread(Arguments arguments) {
    static std::atomic<int> last{kStarter};
    const auto thread = std::make_shared<Thread>(++last);
    if (thread->inbox.descriptor() < 0 || thread->answers.descriptor() < 0)
        return throw_system_error("a thread cannot be started", EMFILE);
    if (!write(arguments[1], thread->data))
        return;
    Settings settings = runtime();
    settings.arguments.resize(std::max<std::size_t>(settings.arguments.size(), 2));
    settings.arguments[1] = utf8(arguments[0]);
    std::thread runs;
    try {
        runs = std::thread(run_thread, thread, settings);
    } catch (const std::system_error& error) {
        return throw_system_error("a thread cannot be started", error.code().value());
    }
    auto* port = new ThreadPort(thread, std::move(runs), arguments[2].As<v8::Function>());
    part<Ports>().all.emplace(thread->number, port);
    arguments.GetReturnValue().Set(thread->number);
}

// openStarter(events): the number of the port to this thread's starter.
void open_starter(Arguments arguments) {
    auto* port = new StarterPort(runtime().thread, arguments[0].As<v8::Function>());
    part<Ports>().all.emplace(kStarter, port);
    arguments.GetReturnValue().Set(kStarter);
}

// threadData(): what the thread was started with; undefined in the main thread.
void thread_data(Arguments arguments) {
    Local<v8::Value> data;
    if (runtime().thread && read(runtime().thread->data).ToLocal(&data))
        arguments.GetReturnValue().Set(data);
}

// pool(): what the command line says about workers and threads.
void pool(Arguments arguments) {
    arguments.GetReturnValue().Set(text(runtime().pool));
}

// threadNumber(): 0 for the main thread.
void thread_number(Arguments arguments) {
    arguments.GetReturnValue().Set(runtime().thread ? runtime().thread->number : 0);
}

// The port that the first argument names; null if its thread has ended.
Port* port_of(Arguments arguments) {
    const auto found = part<Ports>().all.find(integer(arguments, 0));
    return found == part<Ports>().all.end() ? nullptr : found->second;
}

// sendMessage(port, value)
void send_message(Arguments arguments) {
    Message message;
    Port* port = port_of(arguments);
    if (port && write(arguments[1], message))
        port->send(std::move(message));
}

// holdPort(port, held)
void hold_port(Arguments arguments) {
    if (Port* port = port_of(arguments))
        port->hold(arguments[1]->IsTrue());
}

// listenPort(port): its messages may come.
void listen_port(Arguments arguments) {
    if (Port* port = port_of(arguments))
        port->listen();
}

// endThread(port): the thread ends when it is back in its loop.
void end_thread(Arguments arguments) {
    if (Port* port = port_of(arguments))
        port->end();
}

// signalThread(port, number): what the system would do to a process without a handler, this does
// to the process of the thread.
void signal_thread(Arguments arguments) {
    Port* port = port_of(arguments);
    if (!port)
        return;
    const int number = integer(arguments, 1);
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

void handle_signal(int number, Local<v8::Function> handler) {
    part<Ports>().signal_handler.Reset(runtime().isolate, handler);
    runtime().thread->handled |= 1ULL << number;
}

std::string thread_prefix() {
    const auto& thread = runtime().thread;
    return thread ? "thread " + std::to_string(thread->number) + ": " : "";
}

void define_threads(Local<v8::Object> native) {
    define(native, {{"startThread", start_thread},
                    {"openStarter", open_starter},
                    {"threadData", thread_data},
                    {"threadNumber", thread_number},
                    {"pool", pool},
                    {"sendMessage", send_message},
                    {"holdPort", hold_port},
                    {"listenPort", listen_port},
                    {"endThread", end_thread},
                    {"signalThread", signal_thread}});
}

}  // namespace sparrow
