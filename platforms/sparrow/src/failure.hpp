// How a program's mistakes are reported: one clear line, the place in the source, the stack.
#pragma once

#include <v8.h>

#include <optional>
#include <string>

namespace sparrow {

constexpr int kFailed = 1;   // the program threw
constexpr int kMistake = 2;  // it could not be started: a file, an option, its syntax, an address

// A worker's descriptor. One worker of a program can read it, and only this one reports a mistake.
constexpr int kMistakeReporter = 4;

// Throws an error that ends the process with one line and kMistake if nobody catches it.
void throw_mistake(v8::Local<v8::Value> error);

// Prints what was thrown and ends the process.
[[noreturn]] void end_with(v8::TryCatch& attempt, int status = kFailed);
[[noreturn]] void end_with(v8::Local<v8::Value> thrown, v8::Local<v8::Message> message,
                           const char* how, int status);

// What nobody has caught: ends the process, if no handler is set.
void report_uncaught(v8::Local<v8::Value> thrown, v8::Local<v8::Message> message, const char* how);
// Each uncaught value then goes to `handler(thrown)`.
void set_uncaught_handler(v8::Local<v8::Function> handler);

// A place in a source.
struct Place {
    std::string file;
    int line = 0, column = 0;  // from 1
    std::string source_line;
};

// Where something was thrown, if that is known.
std::optional<Place> place_of(v8::Local<v8::Message> message);

// "file:line:column: what", the line of source and a caret below its column.
void print_place(const Place& place, const std::string& what);

// A line of a source, from 1; empty if there is none.
std::string line_of(const std::string& source, int line);

// Remembers rejections that have no handler yet.
void watch_rejections(v8::Isolate* isolate);

// Ends the process for a heap that is full.
void watch_heap(v8::Isolate* isolate);

}  // namespace sparrow
