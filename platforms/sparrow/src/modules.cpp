#include "modules.hpp"

#include <unistd.h>

#include <filesystem>
#include <optional>
#include <unordered_map>

#include "binding.hpp"
#include "failure.hpp"
#include "module_names.hpp"

namespace sparrow {

using v8::Local;

namespace {

struct Modules {
    std::unordered_map<std::string, v8::Global<v8::Module>> loaded;
    v8::Global<v8::Object> native;
};

std::unordered_map<std::string, v8::Global<v8::Module>>& loaded() {
    return part<Modules>().loaded;
}

v8::Global<v8::Object>& native_object() {
    return part<Modules>().native;
}

// A place in a module that imports something.
struct Import {
    std::string referrer;
    v8::Local<v8::Module> module;
    int offset = 0;
};

// Throws the error of an import, with the place of the import.
void throw_at(const Import& place, Local<v8::Value> thrown) {
    const auto error = thrown.As<v8::Object>();
    if (!place.module.IsEmpty()) {
        v8::Location at = place.module->SourceOffsetToLocation(place.offset);
        const std::string source = content_of(file_of(place.referrer)).value_or("");
        const int line = at.GetLineNumber() + 1;
        set(error, "importedBy", text(place.referrer));
        set(error, "line", value_of(line));
        set(error, "column", value_of(at.GetColumnNumber() + 1));
        set(error, "sourceLine", text(line_of(source, line)));
    }
    runtime().isolate->ThrowException(error);
}

void throw_missing(const std::string& specifier, const Import& place) {
    std::string message = "cannot find module '" + specifier + "'";
    if (!specifier.starts_with('.') && !specifier.starts_with('/') && !of_library(specifier)) {
        message += "; sparrow does not search packages, so import a file by its path";
    }
    const Local<v8::Value> error = v8::Exception::Error(text(message));
    set(error.As<v8::Object>(), "code", text("ERR_MODULE_NOT_FOUND"));
    throw_at(place, error);
}

// The full name of what is imported; nothing if an exception is pending. `attributes`: keys and
// values, each pair of them in `stride` elements.
std::optional<std::string> wanted_of(const std::string& specifier, const Import& place,
                                     Local<v8::FixedArray> attributes, int stride) {
    for (int i = 0; i < attributes->Length(); i += stride) {
        const std::string key = utf8(attributes->Get(i).As<v8::String>());
        const std::string value = utf8(attributes->Get(i + 1).As<v8::String>());
        if (key != "type" || value != "json") {
            throw_at(place,
                     v8::Exception::TypeError(text("sparrow does not know the import attribute " +
                                                   key + ": '" + value + "'")));
            return std::nullopt;
        }
    }
    const std::optional<std::string> name = resolved(specifier, place.referrer);
    if (!name) {
        throw_missing(specifier, place);
    } else if (attributes->Length() > 0) {
        return std::string(kJson) + *name;
    } else if (name->ends_with(".json") && access(name->c_str(), R_OK) == 0) {
        throw_at(place, v8::Exception::TypeError(text(
                            "'" + specifier + "' is JSON, so import it with { type: 'json' }")));
        return std::nullopt;
    }
    return name;
}

v8::MaybeLocal<v8::Value> filled(Local<v8::Context> context, Local<v8::Module>) {
    const auto done = v8::Promise::Resolver::New(context).ToLocalChecked();
    done->Resolve(context, v8::Undefined(runtime().isolate)).Check();
    return done->GetPromise();
}

v8::MaybeLocal<v8::Value> fill_native(Local<v8::Context> context, Local<v8::Module> module) {
    v8::Isolate* isolate = runtime().isolate;
    module->SetSyntheticModuleExport(isolate, constant("default"), native_object().Get(isolate))
        .Check();
    return filled(context, module);
}

v8::MaybeLocal<v8::Module> compiled(const std::string& name, const std::string& source) {
    // The inspector sends the exceptions only of scripts that all may read (the first `true`).
    const v8::ScriptOrigin origin(text(name), 0, 0, true, -1, Local<v8::Value>(), false, false,
                                  true);
    v8::ScriptCompiler::Source content(text(source), origin);
    return v8::ScriptCompiler::CompileModule(runtime().isolate, &content);
}

// A module whose default export is the value of a JSON file. It imports nothing, so it can be
// linked at once, and has its export from then on.
v8::MaybeLocal<v8::Module> json_module(const std::string& name, const std::string& content,
                                       const Import& place, const std::string& specifier) {
    v8::Isolate* isolate = runtime().isolate;
    v8::TryCatch attempt(isolate);
    Local<v8::Value> value;
    if (!v8::JSON::Parse(context(), text(content)).ToLocal(&value)) {
        const std::string why = utf8(attempt.Exception());
        attempt.Reset();
        throw_at(place,
                 v8::Exception::SyntaxError(text("'" + specifier + "' is not valid JSON: " + why)));
        attempt.ReThrow();
        return {};
    }
    const Local<v8::String> exported = constant("default");
    const auto module =
        v8::Module::CreateSyntheticModule(isolate, text(name), {&exported, 1}, filled);
    module->InstantiateModule(context(), v8::Module::ResolveModuleCallback()).Check();
    module->SetSyntheticModuleExport(isolate, exported, value).Check();
    return module;
}

v8::MaybeLocal<v8::Module> read(const std::string& name, const Import& place,
                                const std::string& specifier) {
    v8::Isolate* isolate = runtime().isolate;
    if (name == kNative) {
        const Local<v8::String> exported = constant("default");
        return v8::Module::CreateSyntheticModule(isolate, text(name), {&exported, 1}, fill_native);
    }
    const std::optional<std::string> content = content_of(file_of(name));
    if (!content) {
        throw_missing(specifier, place);
        return {};
    }
    return name.starts_with(kJson) ? json_module(name, *content, place, specifier)
                                   : compiled(name, *content);
}

v8::MaybeLocal<v8::Module> load(const std::string& name, const Import& place,
                                const std::string& specifier);

// Enters a module under its name, with all that it imports.
v8::MaybeLocal<v8::Module> entered(const std::string& name, Local<v8::Module> module) {
    loaded()[name].Reset(runtime().isolate, module);
    if (module->IsSyntheticModule())
        return module;
    const Local<v8::FixedArray> requests = module->GetModuleRequests();
    for (int i = 0; i < requests->Length(); i++) {
        const auto request = requests->Get(i).As<v8::ModuleRequest>();
        const std::string wanted = utf8(request->GetSpecifier());
        const Import here{name, module, request->GetSourceOffset()};
        const std::optional<std::string> full =
            wanted_of(wanted, here, request->GetImportAttributes(), 3);
        if (!full || load(*full, here, wanted).IsEmpty()) {
            loaded().erase(name);
            return {};
        }
    }
    return module;
}

// Loads a module and all that it imports. Empty if an exception is pending.
v8::MaybeLocal<v8::Module> load(const std::string& name, const Import& place,
                                const std::string& specifier) {
    if (const auto found = loaded().find(name); found != loaded().end())
        return found->second.Get(runtime().isolate);
    Local<v8::Module> module;
    if (!read(name, place, specifier).ToLocal(&module))
        return {};
    return entered(name, module);
}

v8::MaybeLocal<v8::Module> linked(Local<v8::Context>, Local<v8::String> specifier,
                                  Local<v8::FixedArray> attributes, Local<v8::Module> referrer) {
    const std::string wanted = utf8(specifier);
    const Import here{utf8(referrer->GetResourceName()), {}, 0};
    const std::optional<std::string> name = wanted_of(wanted, here, attributes, 3);
    if (!name)
        return {};
    // It is loaded already, unless its own import has failed since.
    return load(*name, here, wanted);
}

v8::MaybeLocal<v8::Promise> evaluated(Local<v8::Module> module) {
    Local<v8::Value> result;
    if (!module->InstantiateModule(context(), linked).FromMaybe(false))
        return {};
    if (!module->Evaluate(context()).ToLocal(&result))
        return {};
    return result.As<v8::Promise>();
}

// Evaluates the module that is named by the first argument: a promise of its namespace.
void evaluate_imported(Arguments arguments) {
    const Local<v8::Module> module = loaded().at(utf8(arguments[0])).Get(runtime().isolate);
    Local<v8::Promise> evaluation;
    if (!evaluated(module).ToLocal(&evaluation))
        return;
    auto give = v8::Function::New(
        context(), [](Arguments given) { given.GetReturnValue().Set(given.Data()); },
        module->GetModuleNamespace());
    arguments.GetReturnValue().Set(
        evaluation->Then(context(), give.ToLocalChecked()).ToLocalChecked());
}

// import(): the namespace of the module, once it is evaluated. The evaluation waits for the next
// microtask, because V8 ends the process for a module that is evaluated within its own evaluation.
v8::MaybeLocal<v8::Promise> imported(Local<v8::Context> context, Local<v8::Data>,
                                     Local<v8::Value> referrer, Local<v8::String> specifier,
                                     Local<v8::FixedArray> attributes) {
    const auto answer = v8::Promise::Resolver::New(context).ToLocalChecked();
    const v8::TryCatch attempt(runtime().isolate);
    const std::string wanted = utf8(specifier);
    const Import here{utf8(referrer), {}, 0};
    const std::optional<std::string> name = wanted_of(wanted, here, attributes, 2);
    if (!name || load(*name, here, wanted).IsEmpty()) {
        answer->Reject(context, attempt.Exception()).Check();
        return answer->GetPromise();
    }
    answer->Resolve(context, text(*name)).Check();
    const auto evaluate = v8::Function::New(context, evaluate_imported).ToLocalChecked();
    return answer->GetPromise()->Then(context, evaluate);
}

void describe(Local<v8::Context>, Local<v8::Module> module, Local<v8::Object> meta) {
    const std::string name = utf8(module->GetResourceName());
    if (of_library(name))
        return;
    set(meta, "url", text(source_url(name)));
    set(meta, "filename", text(name));
    set(meta, "dirname", text(std::filesystem::path(name).parent_path().string()));
    const std::vector<std::string>& words = runtime().arguments;
    const bool main = words.size() > 1 && name == words[1];
    set(meta, "main", v8::Boolean::New(runtime().isolate, main));
}

// linkModule(name, source): its namespace. The name is a path, from which imports are resolved.
Local<v8::Value> link_module(const std::string& name, const std::string& source) {
    Local<v8::Module> module;
    if (!compiled(name, source).ToLocal(&module) || entered(name, module).IsEmpty() ||
        !module->InstantiateModule(context(), linked).FromMaybe(false))
        return {};
    return module->GetModuleNamespace();
}

// evaluateModule(name): a promise.
Local<v8::Promise> evaluate_module(const std::string& name) {
    return evaluated(loaded().at(name).Get(runtime().isolate)).FromMaybe(Local<v8::Promise>());
}

// A module that is missing is reported at the line that imports it.
[[noreturn]] void end_unloaded(v8::TryCatch& attempt) {
    const Local<v8::Value> thrown = attempt.Exception();
    if (!thrown->IsObject())
        end_with(attempt, kMistake);
    const auto get = [&](const char* name) {
        return thrown.As<v8::Object>()
            ->Get(context(), constant(name))
            .FromMaybe(Local<v8::Value>());
    };
    const Local<v8::Value> file = get("importedBy");
    if (file.IsEmpty() || !file->IsString())
        end_with(attempt, kMistake);
    const auto at = [&](const char* name) { return Converted<int>::from(get(name)); };
    print_place({utf8(file), at("line"), at("column"), utf8(get("sourceLine"))},
                utf8(get("message")));
    end_process(kMistake);
}

}  // namespace

void check_module(const std::string& name) {
    v8::TryCatch attempt(runtime().isolate);
    Local<v8::Module> module;
    if (!load(name, {}, name).ToLocal(&module))
        end_unloaded(attempt);
    if (!module->InstantiateModule(context(), linked).FromMaybe(false))
        end_with(attempt, kMistake);
}

void prepare_module(const std::string& name) {
    check_module(name);
    for (const auto& [one, module] : loaded()) {
        const v8::HandleScope handles(runtime().isolate);
        if (of_library(one))
            evaluated(module.Get(runtime().isolate)).ToLocalChecked();
    }
}

Local<v8::Promise> start_module(const std::string& name) {
    check_module(name);
    v8::TryCatch attempt(runtime().isolate);
    Local<v8::Promise> evaluation;
    if (!evaluated(loaded().at(name).Get(runtime().isolate)).ToLocal(&evaluation))
        end_with(attempt);
    return evaluation;
}

void end_stalled(const std::string& name) {
    v8::Isolate* isolate = runtime().isolate;
    const Local<v8::Module> module = loaded().at(name).Get(isolate);
    const auto [modules, messages] = module->GetStalledTopLevelAwaitMessages(isolate);
    std::fflush(stdout);
    if (messages.empty()) {
        std::fprintf(stderr, "sparrow: %s: a top-level await never ends\n", name.c_str());
        end_process(kFailed);
    }
    print_place(place_of(messages.front()).value_or(Place{name, 0, 0, ""}),
                "this await never ends, because nothing is left that could resolve its promise");
    end_process(kFailed);
}

const std::intptr_t* module_references() {
    static const std::intptr_t all[] = {reinterpret_cast<std::intptr_t>(fill_native), 0};
    return all;
}

void keep_modules(v8::SnapshotCreator& creator) {
    for (const auto& [name, module] : loaded())
        creator.AddData(context(), module.Get(runtime().isolate));
    loaded().clear();
}

void restore_modules() {
    Local<v8::Module> module;
    for (std::size_t i = 0; context()->GetDataFromSnapshotOnce<v8::Module>(i).ToLocal(&module);
         i++) {
        const bool native = module->IsSyntheticModule();
        const auto name = native ? std::string(kNative) : utf8(module->GetResourceName());
        loaded()[name].Reset(runtime().isolate, module);
    }
}

void prepare_modules(v8::Isolate* isolate) {
    isolate->SetHostImportModuleDynamicallyCallback(imported);
    isolate->SetHostInitializeImportMetaObjectCallback(describe);
}

// Makes `native` what `sparrow:native` exports.
void define_modules(Local<v8::Object> native) {
    define(native,
           {{"linkModule", bound<link_module>}, {"evaluateModule", bound<evaluate_module>}});
    native_object().Reset(runtime().isolate, native);
}

}  // namespace sparrow
