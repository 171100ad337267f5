// V8's classes for debuggers. The engine contains them, but its package lacks the header
// v8-inspector.h. These declarations have the same layout, and leave out what sparrow does not
// call. test_inspector.py compares them with the engine.
#pragma once

#include <v8-version.h>
#include <v8.h>

#include <cstdint>
#include <memory>
#include <vector>

#if V8_MAJOR_VERSION != 14 || V8_MINOR_VERSION != 6 || V8_BUILD_NUMBER != 202 || \
    V8_PATCH_LEVEL != 34
#error "inspector_interface.hpp is for V8 14.6.202.34: compare it with v8-inspector.h of this V8"
#endif

namespace v8_inspector {

class StringView {
public:
    StringView() = default;
    StringView(const std::uint8_t* characters, std::size_t length)
        : length_(length), characters_(characters) {}
    StringView(const std::uint16_t* characters, std::size_t length)
        : is_8_bit_(false), length_(length), characters_(characters) {}

    bool is_8_bit() const { return is_8_bit_; }
    std::size_t length() const { return length_; }
    const std::uint8_t* characters_8() const {
        return static_cast<const std::uint8_t*>(characters_);
    }
    const std::uint16_t* characters_16() const {
        return static_cast<const std::uint16_t*>(characters_);
    }

private:
    bool is_8_bit_ = true;
    std::size_t length_ = 0;
    const void* characters_ = nullptr;
};

class StringBuffer {
public:
    virtual ~StringBuffer() = default;
    virtual StringView string() const = 0;
    static std::unique_ptr<StringBuffer> create(StringView);
};

// The result of functions that this client leaves out: always null.
using Nothing = std::unique_ptr<StringBuffer>;

struct V8ContextInfo {
    v8::Local<v8::Context> context;
    int group = 0;
    StringView name, origin, auxiliary;
    bool has_memory_on_console = false;
};

class V8StackTrace {
public:
    virtual StringView firstNonEmptySourceURL() const = 0;
    virtual bool isEmpty() const = 0;
    virtual StringView topSourceURL() const = 0;
    virtual int topLineNumber() const = 0;
    virtual int topColumnNumber() const = 0;
    virtual int topScriptId() const = 0;
    virtual StringView topFunctionName() const = 0;
    virtual ~V8StackTrace() = default;
};

class V8InspectorSession {
public:
    virtual ~V8InspectorSession() = default;
    virtual void addInspectedObject(Nothing) = 0;
    virtual void dispatchProtocolMessage(StringView message) = 0;
    virtual std::vector<std::uint8_t> state() = 0;
    virtual std::vector<Nothing> supportedDomains() = 0;
    virtual void schedulePauseOnNextStatement(StringView reason, StringView details) = 0;
    virtual void cancelPauseOnNextStatement() = 0;
    virtual void breakProgram(StringView reason, StringView details) = 0;
    virtual void setSkipAllPauses(bool) = 0;
    virtual void resume(bool terminate) = 0;
    virtual void stepOver() = 0;
    virtual std::vector<Nothing> searchInTextByLines(StringView text, StringView query, bool,
                                                     bool) = 0;
    virtual Nothing wrapObject(v8::Local<v8::Context>, v8::Local<v8::Value>, StringView, bool) = 0;
    virtual bool unwrapObject(Nothing*, StringView, v8::Local<v8::Value>*, v8::Local<v8::Context>*,
                              Nothing*) = 0;
    virtual void releaseObjectGroup(StringView) = 0;
    virtual void triggerPreciseCoverageDeltaUpdate(StringView) = 0;
    virtual void evaluate() = 0;  // has other parameters; sparrow does not call it
    virtual void stop() = 0;
};

// What V8 asks the program's platform.
class V8InspectorClient {
public:
    using TimerCallback = void (*)(void*);
    using Level = v8::Isolate::MessageErrorLevel;
    using View = const StringView&;

    virtual ~V8InspectorClient() = default;
    virtual void runMessageLoopOnPause(int) {}
    virtual void runMessageLoopOnInstrumentationPause(int group) { runMessageLoopOnPause(group); }
    virtual void quitMessageLoopOnPause() {}
    virtual void runIfWaitingForDebugger(int) {}
    virtual void muteMetrics(int) {}
    virtual void unmuteMetrics(int) {}
    virtual void beginUserGesture() {}
    virtual void endUserGesture() {}
    virtual Nothing deepSerialize(v8::Local<v8::Value>, int, v8::Local<v8::Object>) { return {}; }
    virtual Nothing valueSubtype(v8::Local<v8::Value>) { return {}; }
    virtual Nothing descriptionForValueSubtype(v8::Local<v8::Context>, v8::Local<v8::Value>) {
        return {};
    }
    virtual bool isInspectableHeapObject(v8::Local<v8::Object>) { return true; }
    virtual v8::Local<v8::Context> ensureDefaultContextInGroup(int) { return {}; }
    virtual void beginEnsureAllContextsInGroup(int) {}
    virtual void endEnsureAllContextsInGroup(int) {}
    virtual void installAdditionalCommandLineAPI(v8::Local<v8::Context>, v8::Local<v8::Object>) {}
    virtual void consoleAPIMessage(int, Level, View, View, unsigned, unsigned, V8StackTrace*) {}
    virtual void consoleAPIMessage(int, int, Level, View, View, unsigned, unsigned, V8StackTrace*) {
    }
    virtual v8::MaybeLocal<v8::Value> memoryInfo(v8::Isolate*, v8::Local<v8::Context>) {
        return {};
    }
    virtual void consoleTime(v8::Isolate*, v8::Local<v8::String>) {}
    virtual void consoleTimeEnd(v8::Isolate*, v8::Local<v8::String>) {}
    virtual void consoleTimeStamp(v8::Isolate*, v8::Local<v8::String>) {}
    virtual void consoleTimeStampWithArgs(v8::Isolate*, v8::Local<v8::String>,
                                          const v8::LocalVector<v8::Value>&) {}
    virtual void consoleClear(int) {}
    virtual double currentTimeMS() { return 0; }
    virtual void startRepeatingTimer(double, TimerCallback, void*) {}
    virtual void cancelTimer(void*) {}
    virtual bool canExecuteScripts(int) { return true; }
    virtual void maxAsyncCallStackDepthChanged(int) {}
    virtual std::unique_ptr<StringBuffer> resourceNameToUrl(View) { return {}; }
    virtual std::int64_t generateUniqueId() { return 0; }
    virtual void dispatchError(v8::Local<v8::Context>, v8::Local<v8::Message>,
                               v8::Local<v8::Value>) {}
};

class V8Inspector {
public:
    // Takes what a session sends to its client.
    class Channel {
    public:
        virtual ~Channel() = default;
        virtual void sendResponse(int call, std::unique_ptr<StringBuffer> message) = 0;
        virtual void sendNotification(std::unique_ptr<StringBuffer> message) = 0;
        virtual void flushProtocolNotifications() = 0;
    };
    class ManagedChannel;
    enum ClientTrustLevel { kUntrusted, kFullyTrusted };
    enum SessionPauseState { kWaitingForDebugger, kNotWaitingForDebugger };

    static std::unique_ptr<V8Inspector> create(v8::Isolate*, V8InspectorClient*);
    virtual ~V8Inspector() = default;
    virtual void contextCreated(const V8ContextInfo&) = 0;
    virtual void contextDestroyed(v8::Local<v8::Context>) = 0;
    virtual void resetContextGroup(int group) = 0;
    virtual v8::MaybeLocal<v8::Context> contextById(int) = 0;
    virtual void uniqueDebuggerId() = 0;  // has other parameters; sparrow does not call it
    virtual std::uint64_t isolateId() = 0;
    virtual void idleStarted() = 0;
    virtual void idleFinished() = 0;
    virtual void asyncTaskScheduled(StringView name, void* task, bool recurring) = 0;
    virtual void asyncTaskCanceled(void* task) = 0;
    virtual void asyncTaskStarted(void* task) = 0;
    virtual void asyncTaskFinished(void* task) = 0;
    virtual void allAsyncTasksCanceled() = 0;
    virtual void storeCurrentStackTrace() = 0;     // these three have other parameters
    virtual void externalAsyncTaskStarted() = 0;   // and results, and sparrow does not
    virtual void externalAsyncTaskFinished() = 0;  // call them
    virtual unsigned exceptionThrown(v8::Local<v8::Context>, StringView message,
                                     v8::Local<v8::Value> exception, StringView details,
                                     StringView url, unsigned line, unsigned column,
                                     std::unique_ptr<V8StackTrace>, int script) = 0;
    virtual void exceptionRevoked(v8::Local<v8::Context>, unsigned id, StringView message) = 0;
    virtual bool associateExceptionData(v8::Local<v8::Context>, v8::Local<v8::Value>,
                                        v8::Local<v8::Name>, v8::Local<v8::Value>) = 0;
    virtual std::unique_ptr<V8InspectorSession> connect(int group, Channel*, StringView state,
                                                        ClientTrustLevel, SessionPauseState) = 0;
    // V8 defers the end of such a session until no message of the session is on the stack.
    virtual std::shared_ptr<V8InspectorSession> connectShared(int group, Channel*, StringView state,
                                                              ClientTrustLevel,
                                                              SessionPauseState) = 0;
    virtual std::shared_ptr<V8InspectorSession> connectShared(int group, ManagedChannel*,
                                                              StringView state, ClientTrustLevel,
                                                              SessionPauseState) = 0;
    virtual std::unique_ptr<V8StackTrace> createStackTrace(v8::Local<v8::StackTrace>) = 0;
    virtual std::unique_ptr<V8StackTrace> captureStackTrace(bool whole) = 0;
};

}  // namespace v8_inspector
