#include "runtime.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "failure.hpp"
#include "inspector.hpp"
#include "terminal.hpp"

namespace sparrow {

using v8::Local;

Runtime& runtime() {
    static thread_local Runtime own;
    return own;
}

void end_process(int status) {
    std::fflush(stdout);
    std::fflush(stderr);
    restore_terminal();
    await_end_of_debugger();
    _exit(status);
}

Local<v8::Context> context() {
    return runtime().isolate->GetCurrentContext();
}

Local<v8::String> text(std::string_view utf8) {
    return v8::String::NewFromUtf8(runtime().isolate, utf8.data(), v8::NewStringType::kNormal,
                                   static_cast<int>(utf8.size()))
        .FromMaybe(v8::String::Empty(runtime().isolate));
}

Local<v8::String> constant(const char* name) {
    return v8::String::NewFromUtf8(runtime().isolate, name, v8::NewStringType::kInternalized)
        .ToLocalChecked();
}

std::string utf8(Local<v8::Value> value) {
    const v8::String::Utf8Value converted(runtime().isolate, value);
    return *converted ? std::string(*converted, static_cast<std::size_t>(converted.length())) : "";
}

void set(Local<v8::Object> object, const char* name, Local<v8::Value> value) {
    object->Set(context(), constant(name), value).Check();
}

void define(Local<v8::Object> object, std::initializer_list<Native> natives) {
    for (const Native& native : natives) {
        const auto made = v8::FunctionTemplate::New(runtime().isolate, native.call);
        made->RemovePrototype();
        set(object, native.name, made->GetFunction(context()).ToLocalChecked());
    }
}

Bytes bytes_of(Local<v8::Value> view) {
    if (!view->IsArrayBufferView())
        return {};
    const auto array = view.As<v8::ArrayBufferView>();
    auto* begin = static_cast<std::uint8_t*>(array->Buffer()->Data());
    return {begin + array->ByteOffset(), array->ByteLength()};
}

Local<v8::Uint8Array> bytes(std::string_view content) {
    const auto buffer = v8::ArrayBuffer::New(runtime().isolate, content.size());
    if (!content.empty())
        std::memcpy(buffer->Data(), content.data(), content.size());
    return v8::Uint8Array::New(buffer, 0, content.size());
}

Local<v8::Value> throw_error(std::string_view message) {
    runtime().isolate->ThrowException(v8::Exception::Error(text(message)));
    return {};
}

Local<v8::Value> system_error(std::string_view what, int error, std::string_view advice) {
    const char* name = strerrorname_np(error);
    const std::string code = name ? name : std::to_string(error);
    const std::string message =
        std::string(what) + ": " + std::strerror(error) + std::string(advice);
    const auto made = v8::Exception::Error(text(message)).As<v8::Object>();
    set(made, "code", text(code));
    set(made, "errno", v8::Integer::New(runtime().isolate, error));
    return made;
}

Local<v8::Value> throw_system_error(std::string_view what, int error) {
    runtime().isolate->ThrowException(system_error(what, error));
    return {};
}

int integer(Arguments arguments, int index) {
    return arguments[index]->Int32Value(context()).FromMaybe(0);
}

Local<v8::Value> call(Local<v8::Function> function,
                      std::initializer_list<Local<v8::Value>> values) {
    v8::TryCatch attempt(runtime().isolate);
    attempt.SetVerbose(is_inspected());  // uncaught, also to a debugger that pauses only then
    Local<v8::Value> result;
    auto* first = const_cast<Local<v8::Value>*>(values.begin());
    const int count = static_cast<int>(values.size());
    if (!function->Call(context(), v8::Undefined(runtime().isolate), count, first)
             .ToLocal(&result)) {
        if (attempt.HasTerminated())
            end_with(attempt);
        report_uncaught(attempt.Exception(), attempt.Message(), "");
        return v8::Undefined(runtime().isolate);
    }
    return result;
}

}  // namespace sparrow
