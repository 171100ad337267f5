#include "threads.hpp"

#include <fcntl.h>
#include <string.h>
#include <sys/epoll.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <map>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>

#include "failure.hpp"
#include "isolate.hpp"
#include "messages.hpp"
#include "runtime.hpp"

namespace sparrow {

using v8::Local;

// What a thread and its starter share.
class Thread {
public:
    explicit Thread(int number) : number(number) {}

    const int number;  // from 1
    Message data;      // what it is started with
    Inbox inbox, answers;
    std::atomic<std::uint64_t> handled{0}, signals{0};  // a bit for each signal's number
    std::atomic<bool> asked_to_end{false};
    std::atomic<int> status{kRunning};

    static constexpr int kRunning = -1;
};

namespace {

// The first argument of a port's function; library/internal/port.js has the same numbers.
enum Event : int { kMessage, kEnded };
constexpr int kStarter = 0;  // the number of the port to this thread's starter

// One end of the messages between a thread and its starter.
class Port : public Watch {
public:
    Port(std::shared_ptr<Thread> thread, const Inbox& in, Local<v8::Function> events)
        : thread_(std::move(thread)), events_(runtime().isolate, events) {
        // The inbox's own descriptor stays open as long as somebody can write to it.
        fd = fcntl(in.descriptor(), F_DUPFD_CLOEXEC, 0);
        runtime().loop.add(*this, EPOLLIN);
    }

    virtual void send(Message message) = 0;
    virtual void listen() {}
    virtual void end() {}

    void hold(bool held) {
        if (held == std::exchange(held_, held))
            return;
        held ? runtime().loop.hold() : runtime().loop.release();
    }

    Thread& thread() { return *thread_; }

protected:
    void tell(Event event, Local<v8::Value> value) {
        call(events_.Get(runtime().isolate), {v8::Integer::New(runtime().isolate, event), value});
        run_microtasks();
    }

    void deliver(Inbox& inbox) {
        for (const Message& message : inbox.take()) {
            const v8::HandleScope handles(runtime().isolate);
            v8::TryCatch attempt(runtime().isolate);
            Local<v8::Value> value;
            if (!read(message).ToLocal(&value))
                end_with(attempt);
            tell(kMessage, value);
        }
    }

private:
    std::shared_ptr<Thread> thread_;
    v8::Global<v8::Function> events_;
    bool held_ = false;
};

struct Ports {
    ~Ports();
    std::map<int, Port*> all;
    v8::Global<v8::Function> signal_handler;
};

// In a thread, towards its starter.
class StarterPort : public Port {
public:
    StarterPort(std::shared_ptr<Thread> thread, Local<v8::Function> events)
        : Port(thread, thread->inbox, events) {}

    void send(Message message) override { thread().answers.put(std::move(message)); }

    void listen() override {
        listens_ = true;
        thread().inbox.wake();
    }

    void ready(std::uint32_t) override {
        const v8::HandleScope handles(runtime().isolate);
        thread().inbox.rest();
        if (thread().asked_to_end)
            return runtime().loop.stop();
        // Messages stay where they are until the program listens.
        if (listens_)
            deliver(thread().inbox);
        const std::uint64_t arrived = thread().signals.exchange(0);
        for (int number = 1; number < 64; number++) {
            if (!(arrived >> number & 1))
                continue;
            call(part<Ports>().signal_handler.Get(runtime().isolate),
                 {v8::Integer::New(runtime().isolate, number)});
            run_microtasks();
        }
    }

private:
    bool listens_ = false;
};

// In a thread's starter, towards that thread.
class ThreadPort : public Port {
public:
    ThreadPort(std::shared_ptr<Thread> thread, std::thread runs, Local<v8::Function> events)
        : Port(thread, thread->answers, events), runs_(std::move(runs)) {
        hold(true);
    }

    ~ThreadPort() override {
        if (runs_.joinable())
            runs_.join();
    }

    void send(Message message) override { thread().inbox.put(std::move(message)); }

    void end() override {
        thread().asked_to_end = true;
        thread().inbox.wake();
    }

    void ready(std::uint32_t) override {
        const v8::HandleScope handles(runtime().isolate);
        thread().answers.rest();
        // The status is read first: the thread's last messages are then in the inbox.
        const int status = thread().status;
        deliver(thread().answers);
        if (status == Thread::kRunning)
            return;
        runs_.join();
        hold(false);
        part<Ports>().all.erase(thread().number);
        runtime().loop.retire(this);
        tell(kEnded, v8::Integer::New(runtime().isolate, status));
    }

private:
    std::thread runs_;
};

// Threads end with the thread that has started them.
Ports::~Ports() {
    for (const auto& [number, port] : all) {
        port->end();
        runtime().loop.retire(port);
    }
}

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
