#include <v8.h>

#include <vector>

#include "inspector.hpp"
#include "runtime.hpp"

namespace sparrow {

using v8::Local;

namespace {

// A function of the engine's console, which tells the client, and then the program's own.
void print_twice(Arguments arguments) {
    const auto functions = arguments.Data().As<v8::Array>();
    std::vector<Local<v8::Value>> values;
    for (int i = 0; i < arguments.Length(); i++)
        values.push_back(arguments[i]);
    for (std::uint32_t i = 0; i < functions->Length(); i++) {
        const Local<v8::Value> function = functions->Get(context(), i).ToLocalChecked();
        if (function.As<v8::Function>()
                ->Call(context(), arguments.This(), arguments.Length(), values.data())
                .IsEmpty())
            return;
    }
}

}  // namespace

void extend_console() {
    v8::Isolate* isolate = runtime().isolate;
    const auto get = [](Local<v8::Object> object, Local<v8::Value> name) {
        return object->Get(context(), name).ToLocalChecked();
    };
    const auto console = constant("console");
    const auto engines = get(context()->GetExtrasBindingObject(), console).As<v8::Object>();
    const auto own = get(context()->Global(), console).As<v8::Object>();
    const Local<v8::Array> names = own->GetOwnPropertyNames(context()).ToLocalChecked();
    for (std::uint32_t i = 0; i < names->Length(); i++) {
        const Local<v8::Value> name = get(names, v8::Integer::NewFromUnsigned(isolate, i));
        Local<v8::Value> both[] = {get(engines, name), get(own, name)};
        const auto functions = v8::Array::New(isolate, both, 2);
        const auto function = v8::Function::New(context(), print_twice, functions).ToLocalChecked();
        own->Set(context(), name, function).Check();
    }
}

}  // namespace sparrow
