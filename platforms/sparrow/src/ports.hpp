// The messages between a thread and the thread that has started it.
#pragma once

#include <fcntl.h>
#include <sys/epoll.h>
#include <v8.h>

#include <atomic>
#include <map>
#include <memory>
#include <thread>
#include <utility>

#include "binding.hpp"
#include "failure.hpp"
#include "messages.hpp"

namespace sparrow {

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

// The first argument of a port's function; library/internal/port.js has the same numbers.
enum Event : int { kMessage, kEnded };
constexpr int kStarter = 0;  // the number of the port to this thread's starter

// One end of the messages between a thread and its starter.
class Port : public Watch {
public:
    Port(std::shared_ptr<Thread> thread, const Inbox& in, Callback events)
        : thread_(std::move(thread)), events_(std::move(events)) {
        // The inbox's own descriptor stays open as long as somebody can write to it.
        fd = fcntl(in.descriptor(), F_DUPFD_CLOEXEC, 0);
        runtime().loop.add(*this, EPOLLIN);
    }

    virtual void put(Message message) = 0;
    virtual void listen() {}
    virtual void end() {}

    void send(v8::Local<v8::Value> value) {
        Message message;
        if (write(value, message))
            put(std::move(message));
    }

    void hold(bool held) {
        if (held == std::exchange(held_, held))
            return;
        held ? runtime().loop.hold() : runtime().loop.release();
    }

    Thread& thread() { return *thread_; }

protected:
    void deliver(Inbox& inbox) {
        for (const Message& message : inbox.take()) {
            const v8::HandleScope handles(runtime().isolate);
            v8::TryCatch attempt(runtime().isolate);
            v8::Local<v8::Value> value;
            if (!read(message).ToLocal(&value))
                end_with(attempt);
            events_.run(kMessage, value);
        }
    }

    const Callback& events() const { return events_; }

private:
    std::shared_ptr<Thread> thread_;
    Callback events_;
    bool held_ = false;
};

struct Ports {
    ~Ports();
    std::map<int, Port*> all;
    Callback signal_handler;
};

// In a thread, towards its starter.
class StarterPort : public Port {
public:
    StarterPort(std::shared_ptr<Thread> thread, Callback events)
        : Port(thread, thread->inbox, std::move(events)) {}

    void put(Message message) override { thread().answers.put(std::move(message)); }

    void listen() override {
        listens_ = true;
        thread().inbox.wake();
    }

    void ready(std::uint32_t) override {
        thread().inbox.rest();
        if (thread().asked_to_end)
            return runtime().loop.stop();
        // Messages stay where they are until the program listens.
        if (listens_)
            deliver(thread().inbox);
        const std::uint64_t arrived = thread().signals.exchange(0);
        for (int number = 1; number < 64; number++) {
            if (arrived >> number & 1)
                part<Ports>().signal_handler.run(number);
        }
    }

private:
    bool listens_ = false;
};

// In a thread's starter, towards that thread.
class ThreadPort : public Port {
public:
    ThreadPort(std::shared_ptr<Thread> thread, std::thread runs, Callback events)
        : Port(thread, thread->answers, std::move(events)), runs_(std::move(runs)) {
        hold(true);
    }

    ~ThreadPort() override {
        if (runs_.joinable())
            runs_.join();
    }

    void put(Message message) override { thread().inbox.put(std::move(message)); }

    void end() override {
        thread().asked_to_end = true;
        thread().inbox.wake();
    }

    void ready(std::uint32_t) override {
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
        events().run(kEnded, status);
    }

private:
    std::thread runs_;
};

// The port that a function's first argument names; null if its thread has ended.
template <>
struct Converted<Port*> {
    static Port* from(v8::Local<v8::Value> number) {
        const auto& all = part<Ports>().all;
        const auto found = all.find(Converted<int>::from(number));
        return found == all.end() ? nullptr : found->second;
    }
};

// Threads end with the thread that has started them.
inline Ports::~Ports() {
    for (const auto& [number, port] : all) {
        port->end();
        runtime().loop.retire(port);
    }
}

}  // namespace sparrow
