#include "failure.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "inspector.hpp"
#include "module_names.hpp"
#include "runtime.hpp"
#include "threads.hpp"

namespace sparrow {

using v8::Local;

namespace {

struct Rejection {
    v8::Global<v8::Promise> promise;
    v8::Global<v8::Value> reason;
};

std::vector<Rejection>& rejections() {
    return part<std::vector<Rejection>>();
}

Local<v8::Private> mistake_mark() {
    return v8::Private::ForApi(runtime().isolate, constant("mistake"));
}

bool is_mistake(Local<v8::Value> thrown) {
    return thrown->IsNativeError() &&
           thrown.As<v8::Object>()->HasPrivate(context(), mistake_mark()).FromMaybe(false);
}

void print_mistake(Local<v8::Value> error) {
    std::uint64_t count = 0;
    if (std::getenv("SPARROW_WORKER") && read(kMistakeReporter, &count, sizeof count) < 0 &&
        errno == EAGAIN)
        return;  // another worker has reported it
    const auto message = error.As<v8::Object>()->Get(context(), constant("message"));
    std::fprintf(stderr, "sparrow: %s\n", utf8(message.FromMaybe(error)).c_str());
}

// The first line and the rest of an error's `stack`; of other values, how they print.
std::pair<std::string, std::string> described(Local<v8::Value> thrown) {
    std::string whole;
    Local<v8::Value> stack;
    const v8::TryCatch unreadable(runtime().isolate);
    if (thrown->IsNativeError() &&
        thrown.As<v8::Object>()->Get(context(), constant("stack")).ToLocal(&stack) &&
        stack->IsString()) {
        whole = utf8(stack);
    } else {
        Local<v8::String> detail;
        whole = thrown->ToDetailString(context()).ToLocal(&detail) ? utf8(detail) : "an object";
        if (thrown->IsObject() && !thrown->IsNativeError()) {
            Local<v8::String> json;
            if (v8::JSON::Stringify(context(), thrown).ToLocal(&json))
                whole = utf8(json);
        }
    }
    const std::size_t frames = whole.find("\n    at ");
    if (frames == whole.npos)
        return {whole, ""};
    return {whole.substr(0, frames), whole.substr(frames + 1)};
}

// The first place of the program itself in the lines of a stack, such as "    at f (FILE:1:2)".
std::optional<Place> own_place(const std::string& frames) {
    std::istringstream lines(frames);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t begin = std::min(line.find("(/"), line.find(" /"));
        const std::size_t column = line.rfind(':');
        const std::size_t row = line.rfind(':', column - 1);
        if (begin == line.npos || row == line.npos || row < begin)
            continue;
        const std::string file = line.substr(begin + 1, row - begin - 1);
        const int number = std::atoi(line.c_str() + row + 1);
        return Place{file, number, std::atoi(line.c_str() + column + 1),
                     line_of(content_of(file).value_or(""), number)};
    }
    return std::nullopt;
}

void rejected(v8::PromiseRejectMessage message) {
    v8::Isolate* isolate = runtime().isolate;
    const Local<v8::Promise> promise = message.GetPromise();
    if (message.GetEvent() == v8::kPromiseRejectWithNoHandler) {
        rejections().push_back({v8::Global<v8::Promise>(isolate, promise),
                                v8::Global<v8::Value>(isolate, message.GetValue())});
    } else if (message.GetEvent() == v8::kPromiseHandlerAddedAfterReject) {
        std::erase_if(rejections(), [&](const Rejection& one) { return one.promise == promise; });
    }
}

struct Uncaught {
    v8::Global<v8::Function> handler;
};

v8::Global<v8::Function>& uncaught_handler() {
    return part<Uncaught>().handler;
}

std::size_t heap_full(void*, std::size_t limit, std::size_t) {
    std::fprintf(stderr,
                 "sparrow: %sout of memory: the heap's limit is %zu MiB; raise it "
                 "with --heap\n",
                 thread_prefix().c_str(),
                 (runtime().heap_bytes ? runtime().heap_bytes : limit) >> 20);
    abandon_inspector();
    end_process(kFailed);
}

}  // namespace

void print_place(const Place& place, const std::string& what) {
    std::fprintf(stderr, "%s:%d:%d: %s%s\n", place.file.c_str(), place.line, place.column,
                 thread_prefix().c_str(), what.c_str());
    constexpr std::size_t longest = 200;
    if (place.source_line.empty() || place.source_line.size() > longest)
        return;
    // Tabs stay, so that the caret stands below its character.
    std::string indent = place.source_line.substr(0, static_cast<std::size_t>(place.column - 1));
    std::replace_if(indent.begin(), indent.end(), [](char c) { return c != '\t'; }, ' ');
    std::fprintf(stderr, "%s\n%s^\n", place.source_line.c_str(), indent.c_str());
}

std::string line_of(const std::string& source, int line) {
    std::istringstream lines(source);
    std::string found;
    for (int i = 0; i < line; i++) {
        if (!std::getline(lines, found))
            return "";
    }
    return found;
}

std::optional<Place> place_of(Local<v8::Message> message) {
    if (message.IsEmpty() || !message->GetScriptResourceName()->IsString())
        return std::nullopt;
    Local<v8::String> line;
    return Place{utf8(message->GetScriptResourceName()),
                 message->GetLineNumber(context()).FromMaybe(0),
                 message->GetStartColumn(context()).FromMaybe(0) + 1,
                 message->GetSourceLine(context()).ToLocal(&line) ? utf8(line) : ""};
}

void end_with(Local<v8::Value> thrown, Local<v8::Message> message, const char* how, int status) {
    // Of several threads that fail, only the first reports.
    static std::recursive_mutex reports;
    reports.lock();
    std::fflush(stdout);
    if (is_mistake(thrown)) {
        print_mistake(thrown);
        inspect_uncaught(thrown, message);
        end_process(kMistake);
    }
    const auto [what, frames] = described(thrown);
    const std::string first = std::string(how) + what;
    auto place = place_of(message);
    if (place && of_library(place->file))
        place = own_place(frames).value_or(*place);
    if (place)
        print_place(*place, first);
    else
        std::fprintf(stderr, "sparrow: %s%s\n", thread_prefix().c_str(), first.c_str());
    if (!frames.empty())
        std::fprintf(stderr, "%s\n", frames.c_str());
    inspect_uncaught(thrown, message);
    end_process(status);
}

void end_with(v8::TryCatch& attempt, int status) {
    if (attempt.HasTerminated())
        end_process(kFailed);
    end_with(attempt.Exception(), attempt.Message(), "", status);
}

void throw_mistake(Local<v8::Value> error) {
    error.As<v8::Object>()
        ->SetPrivate(context(), mistake_mark(), v8::True(runtime().isolate))
        .Check();
    runtime().isolate->ThrowException(error);
}

void watch_rejections(v8::Isolate* isolate) {
    isolate->SetPromiseRejectCallback(rejected);
}

void watch_heap(v8::Isolate* isolate) {
    isolate->AddNearHeapLimitCallback(heap_full, nullptr);
}

void report_uncaught(Local<v8::Value> thrown, Local<v8::Message> message, const char* how) {
    if (uncaught_handler().IsEmpty())
        end_with(thrown, message, how, kFailed);
    v8::TryCatch attempt(runtime().isolate);
    const Local<v8::Function> handler = uncaught_handler().Get(runtime().isolate);
    if (handler->Call(context(), v8::Undefined(runtime().isolate), 1, &thrown).IsEmpty())
        end_with(attempt);
}

void set_uncaught_handler(Local<v8::Function> handler) {
    uncaught_handler().Reset(runtime().isolate, handler);
}

void run_microtasks() {
    v8::Isolate* isolate = runtime().isolate;
    isolate->PerformMicrotaskCheckpoint();
    while (!rejections().empty()) {
        const Local<v8::Value> reason = rejections().front().reason.Get(isolate);
        rejections().erase(rejections().begin());
        report_uncaught(reason, v8::Exception::CreateMessage(isolate, reason),
                        "unhandled rejection: ");
    }
}

}  // namespace sparrow
