// One connection of an HTTP server: reads requests one after another, and writes their answers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "http_chunks.hpp"
#include "http_head.hpp"
#include "peer.hpp"

namespace sparrow {

class HttpService;

// The beginning of an answer, up to the headers that the connection adds.
struct AnswerHead {
    std::string lines;
    int status = 200;
    bool has_body() const { return status >= 200 && status != 204 && status != 304; }
};

class HttpConnection : public Peer {
public:
    HttpConnection(HttpService& service, int socket, std::uint32_t index);

    void ready(std::uint32_t events) override;

    // The request that is being handled; valid until it is answered.
    const Head& head() const { return head_; }
    std::string_view target() const { return part(head_.target, head_.target_length); }
    std::string_view header(std::size_t index, bool name) const;
    bool has_body() const { return !body_.empty(); }
    // The connection may be idle for long, and keeps none.
    std::string take_body() { return std::exchange(body_, {}); }

    // An answer of a known length.
    void answer(const AnswerHead& head, std::string_view content);
    // While the application is called to handle a request: goes on to the next one if this one is
    // answered and the next has arrived whole. False if the application has to return.
    bool next();

    // An answer of unknown length, in chunks; how many bytes wait for the socket.
    std::size_t begin_stream(const AnswerHead& head);
    std::size_t write_stream(std::string_view content);
    void end_stream();

    // Answers with these lines. When they are sent, the socket belongs to the
    // application. False for a client of HTTP/1.0, which is refused.
    bool upgrade(const std::string& lines);

    // Goes on with requests that have arrived while one was handled.
    void resume();
    void check_deadline(double now_ms);
    // No request will follow the one under way; an idle connection ends.
    void stop();
    // Ends the connection at once.
    void shut();

    bool handling() const { return state_ == State::handling || state_ == State::streaming; }

    const std::uint32_t index;
    std::uint32_t serial = 0;  // of the request

private:
    enum class State : std::uint8_t {
        head,
        body,
        chunks,
        handling,
        streaming,
        upgrading,
        closing,
        draining
    };

    std::string_view part(std::size_t offset, std::size_t size) const {
        return {base_ + offset, size};
    }
    void receive();
    std::size_t advance(std::string_view bytes);
    std::size_t read_head(std::string_view bytes);
    std::size_t read_body(std::string_view bytes);
    void refuse(int status);
    void answered();
    void add_common(std::string& buffer, const AnswerHead& head);
    std::string& out_buffer();
    void send();
    void flush(std::string& buffer);
    void drain_output();
    void settle();
    void hand_over();
    bool linger();
    void leave();
    void discard();
    void arm(int limit_ms);

    HttpService& service_;
    Head head_{};
    const char* base_ = nullptr;  // where the head's bytes are
    std::string_view arrived_;    // of the bytes that `advance` has: those that are not used
    std::string head_copy_, body_, input_, output_;
    Chunks chunks_;
    double deadline_ms_ = -1;
    std::uint32_t interest_;
    State state_ = State::head;
    bool ended_ = false, advancing_ = false, awaiting_head_ = false, queued_ = false,
         closes_ = false;
};

}  // namespace sparrow
