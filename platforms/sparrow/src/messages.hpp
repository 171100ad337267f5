// Messages between threads: values as V8's structured clone writes them.
#pragma once

#include <v8.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace sparrow {

struct Message {
    std::vector<std::uint8_t> content;
    std::vector<std::shared_ptr<v8::BackingStore>> shared;  // of its SharedArrayBuffers
};

// False if an exception is pending: some values, such as functions, cannot be cloned.
bool write(v8::Local<v8::Value> value, Message& message);
v8::MaybeLocal<v8::Value> read(const Message& message);

// What other threads have sent to one thread.
class Inbox {
public:
    Inbox();
    ~Inbox();
    Inbox(const Inbox&) = delete;
    Inbox& operator=(const Inbox&) = delete;

    void put(Message message);
    // Makes the descriptor readable without a message.
    void wake() const;
    // All messages, oldest first.
    std::vector<Message> take();
    // Makes the descriptor unreadable. Call it before reading what others set: what they set later
    // makes the descriptor readable again.
    void rest() const;
    int descriptor() const { return descriptor_; }

private:
    const int descriptor_;
    std::mutex mutex_;
    std::vector<Message> messages_;
};

}  // namespace sparrow
