// Functions of C++ for JavaScript, and back: values are converted by their types.
#pragma once

#include <v8.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "runtime.hpp"

namespace sparrow {

// A value of C++ as JavaScript has it.
template <typename T>
v8::Local<v8::Value> value_of(const T& value) {
    v8::Isolate* isolate = runtime().isolate;
    if constexpr (std::is_convertible_v<T, v8::Local<v8::Value>>)
        return value;
    else if constexpr (std::is_convertible_v<T, std::string_view>)
        return text(value);
    else if constexpr (std::is_same_v<T, bool>)
        return v8::Boolean::New(isolate, value);
    else if constexpr (std::is_same_v<T, std::uint32_t>)
        return v8::Integer::NewFromUnsigned(isolate, value);
    else if constexpr (std::is_enum_v<T> || std::is_same_v<T, int>)
        return v8::Integer::New(isolate, static_cast<int>(value));
    else if constexpr (std::is_arithmetic_v<T>)
        return v8::Number::New(isolate, static_cast<double>(value));
    else {
        std::vector<v8::Local<v8::Value>> all;
        for (const auto& one : value)
            all.push_back(value_of(one));
        return v8::Array::New(isolate, all.data(), all.size());
    }
}

template <typename... T>
v8::Local<v8::Value> array_of(const T&... values) {
    return value_of(std::vector<v8::Local<v8::Value>>{value_of(values)...});
}

// A value of JavaScript as a parameter of C++ has it.
template <typename T>
struct Converted;
template <>
struct Converted<bool> {
    static bool from(v8::Local<v8::Value> value) { return value->IsTrue(); }
};
template <>
struct Converted<int> {
    static int from(v8::Local<v8::Value> value) {
        return value->Int32Value(context()).FromMaybe(0);
    }
};
template <>
struct Converted<double> {
    static double from(v8::Local<v8::Value> value) {
        return value->NumberValue(context()).FromMaybe(0);
    }
};
template <>
struct Converted<std::string> {
    static std::string from(v8::Local<v8::Value> value) { return utf8(value); }
};
template <>
struct Converted<Bytes> {
    // A string would silently be no bytes.
    static Bytes from(v8::Local<v8::Value> value) {
        if (!value->IsArrayBufferView())
            runtime().isolate->ThrowException(
                v8::Exception::TypeError(text("bytes must be a view of an ArrayBuffer")));
        return bytes_of(value);
    }
};
template <typename T>
struct Converted<v8::Local<T>> {
    static v8::Local<T> from(v8::Local<v8::Value> value) { return value.As<T>(); }
};
template <>
struct Converted<v8::Local<v8::String>> {
    // The memory of another value would be read as that of a string.
    static v8::Local<v8::String> from(v8::Local<v8::Value> value) {
        if (value->IsString())
            return value.As<v8::String>();
        runtime().isolate->ThrowException(
            v8::Exception::TypeError(text("the text must be a string")));
        return v8::String::Empty(runtime().isolate);
    }
};
template <>
struct Converted<std::vector<std::string>> {
    static std::vector<std::string> from(v8::Local<v8::Value> value) {
        const auto array = value.As<v8::Array>();
        std::vector<std::string> all;
        for (std::uint32_t i = 0; i < array->Length(); i++)
            all.push_back(utf8(array->Get(context(), i).ToLocalChecked()));
        return all;
    }
};

// A function of JavaScript that the loop calls.
class Callback {
public:
    Callback() = default;
    explicit Callback(v8::Local<v8::Function> function) : function_(runtime().isolate, function) {}

    // In a scope of handles that is open.
    template <typename... T>
    v8::Local<v8::Value> operator()(const T&... values) const {
        return call(function_.Get(runtime().isolate), {value_of(values)...});
    }

    // Also runs what promises have made due.
    template <typename... T>
    void run(const T&... values) const {
        const v8::HandleScope handles(runtime().isolate);
        (*this)(values...);
        run_microtasks();
    }

private:
    v8::Global<v8::Function> function_;
};

template <>
struct Converted<Callback> {
    static Callback from(v8::Local<v8::Value> value) { return Callback(value.As<v8::Function>()); }
};

template <auto function, typename Type>
struct BoundAs;

template <auto function, typename Result, typename... Given>
struct BoundAs<function, Result (*)(Given...)> {
    static void call(Arguments arguments) { call(arguments, std::index_sequence_for<Given...>()); }

private:
    template <std::size_t... at>
    static void call(Arguments arguments, std::index_sequence<at...>) {
        // Braces convert from left to right.
        std::tuple<std::decay_t<Given>...> given{
            Converted<std::decay_t<Given>>::from(arguments[at])...};
        if (runtime().isolate->HasPendingException())
            return;
        if constexpr (std::is_void_v<Result>)
            std::apply(function, std::move(given));
        else
            arguments.GetReturnValue().Set(value_of(std::apply(function, std::move(given))));
    }
};

// A function, or a lambda without captures.
template <auto function>
struct Bound : BoundAs<function, decltype(+function)> {};

// A member function, of the object that the first argument names if it is still there.
template <class T, typename... Given, void (T::*member)(Given...)>
struct Bound<member> {
    static void act(T* object, Given... given) {
        if (object)
            (object->*member)(given...);
    }
    static void call(Arguments arguments) { Bound<act>::call(arguments); }
};

// What V8 calls for a function of C++.
template <auto function>
constexpr v8::FunctionCallback bound = Bound<function>::call;

}  // namespace sparrow
