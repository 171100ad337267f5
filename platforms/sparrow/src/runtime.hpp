// The isolate of a thread, and how C++ and JavaScript call each other.
#pragma once

#include <v8.h>

#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "loop.hpp"

namespace sparrow {

using Arguments = const v8::FunctionCallbackInfo<v8::Value>&;

class Thread;

// What a thread inherits from its starter.
struct Settings {
    std::string home;                    // the folder of the launcher
    std::vector<std::string> arguments;  // [launcher, program, its arguments…]
    std::vector<std::string> options;    // those of the command line, for workers
    std::size_t heap_bytes = 0;          // the limit of a heap; 0: V8's own
};

struct Runtime : Settings {
    v8::Isolate* isolate = nullptr;
    Loop loop;
    std::vector<std::function<void()>> parts;  // what deletes them
    std::shared_ptr<Thread> thread;            // null: the main thread
    int exit_status = 0;
    std::string pool;  // 'workers=2' or 'threads=2' of the command line, or empty
};

// Of the thread that calls this.
Runtime& runtime();

// The state that a part of the platform keeps for each thread. It ends before the thread's isolate.
template <class State>
State& part() {
    static constinit thread_local State* own = nullptr;
    if (!own) {
        own = new State;
        runtime().parts.emplace_back([] {
            delete own;
            own = nullptr;
        });
    }
    return *own;
}

// Without destructors, for the engine's threads may still run. The terminal is
// what it was. A debugger that is attached is waited for.
[[noreturn]] void end_process(int status);

struct Native {
    const char* name;
    v8::FunctionCallback call;
};

v8::Local<v8::Context> context();
v8::Local<v8::String> text(std::string_view utf8);
v8::Local<v8::String> constant(const char* name);  // internalised: names of properties
std::string utf8(v8::Local<v8::Value> value);
void set(v8::Local<v8::Object> object, const char* name, v8::Local<v8::Value> value);
void define(v8::Local<v8::Object> object, std::initializer_list<Native> natives);

// The bytes of an ArrayBufferView, without a copy; valid until JavaScript runs again.
struct Bytes {
    std::uint8_t* data = nullptr;
    std::size_t size = 0;
};
Bytes bytes_of(v8::Local<v8::Value> view);
v8::Local<v8::Uint8Array> bytes(std::string_view content);

// Makes an exception pending; the result is empty.
v8::Local<v8::Value> throw_error(std::string_view message);
// An Error with the properties `code` (such as EADDRINUSE) and `errno`. `advice`: the end of its
// message.
v8::Local<v8::Value> system_error(std::string_view what, int error, std::string_view advice = "");
v8::Local<v8::Value> throw_system_error(std::string_view what, int error);

int integer(Arguments arguments, int index);

// Calls into JavaScript from the loop. An exception is reported as uncaught, and
// the result is then undefined.
v8::Local<v8::Value> call(v8::Local<v8::Function> function,
                          std::initializer_list<v8::Local<v8::Value>> values);

// Runs what promises have made due, and ends the process for a rejection that nobody handles.
void run_microtasks();

// What each part adds to the object that the library imports as `sparrow:native`.
using Define = void(v8::Local<v8::Object> native);
Define define_system, define_children, define_files, define_bytes, define_urls, define_streams,
    define_tls, define_http, define_terminal, define_threads, define_inspector, define_modules;

}  // namespace sparrow
