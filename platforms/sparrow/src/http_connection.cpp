#include "http_connection.hpp"

#include <sys/epoll.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <map>

#include "http_service.hpp"

namespace sparrow {
namespace {

constexpr std::size_t kWaitingInput = 65536;  // bytes of later requests that are read ahead
constexpr std::size_t kBatchedOutput = 262144;
constexpr int kDrainMs = 2000;

AnswerHead refusal(int status) {
    static const std::map<int, const char*> reasons{{400, "Bad Request"},
                                                    {408, "Request Timeout"},
                                                    {413, "Content Too Large"},
                                                    {414, "URI Too Long"},
                                                    {431, "Request Header Fields Too Large"},
                                                    {501, "Not Implemented"},
                                                    {505, "HTTP Version Not Supported"}};
    return {
        "HTTP/1.1 " + std::to_string(status) + " " + reasons.at(status) + "\r\nServer: sparrow\r\n",
        status};
}

void append_number(std::string& out, std::size_t number, int base) {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, number, base).ptr;
    out.append(digits, end);
}

}  // namespace

HttpConnection::HttpConnection(HttpService& service, int socket, std::uint32_t index_)
    : index(index_), service_(service), interest_(EPOLLIN) {
    fd = socket;
    service_.loop.add(*this, interest_);
    if (service_.tls)
        secure(tls_server(service_.tls));
    arm(service_.tls ? service_.limits.head_ms : service_.limits.idle_ms);
}

std::string_view HttpConnection::header(std::size_t at, bool name) const {
    const Header& one = head_.headers[at];
    return name ? part(one.name, one.name_length) : part(one.value, one.value_length);
}

void HttpConnection::ready(std::uint32_t events) {
    if (events & (EPOLLERR | EPOLLHUP))
        return shut();
    if (events & EPOLLOUT)
        drain_output();
    if (fd >= 0 && ((events & EPOLLIN) || take_waits()))
        receive();
    if (fd >= 0)
        settle();
}

void HttpConnection::receive() {
    if (state_ == State::draining)
        return discard();
    if (shaking_hands()) {
        if (shake_hands() <= 0)
            return errno == EAGAIN ? void() : shut();
        arm(service_.limits.idle_ms);
    }
    std::string& buffer = service_.read_buffer;
    const ssize_t count = take(buffer.data(), buffer.size());
    if (count < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (count < 0)
        return shut();
    if (count == 0) {
        // A client that has only finished sending still gets its answers; the caller settles.
        ended_ = true;
        return;
    }
    const std::string_view arrived(buffer.data(), static_cast<std::size_t>(count));
    if (state_ > State::chunks || !output_.empty()) {
        input_ += arrived;
        return;
    }
    if (input_.empty()) {
        const std::size_t used = advance(arrived);
        if (fd >= 0 && used < arrived.size())
            input_.assign(arrived.substr(used));
        return;
    }
    input_ += arrived;
    resume();
}

void HttpConnection::resume() {
    queued_ = false;
    if (fd < 0 || state_ > State::chunks || !output_.empty())
        return;
    // JavaScript may run meanwhile, and more may arrive: these bytes stay where they are.
    std::string bytes;
    bytes.swap(input_);
    const std::size_t used = advance(bytes);
    if (fd < 0)
        return;
    bytes.erase(0, used);
    bytes += input_;
    input_.swap(bytes);
    settle();
}

// Handles the requests in `bytes`; how many of them were used. The caller keeps
// the others, and settles.
std::size_t HttpConnection::advance(std::string_view bytes) {
    arrived_ = bytes;
    advancing_ = true;
    service_.out.clear();
    while (next())
        service_.application.handle(*this);
    if (fd >= 0 && handling() && base_ != head_copy_.data()) {
        // The bytes that it came in are about to be overwritten.
        head_copy_.assign(base_, head_.length);
        base_ = head_copy_.data();
    }
    if (fd >= 0)
        flush(service_.out);
    advancing_ = false;
    if (arrived_.empty() && state_ == State::head && output_.empty())
        arm(service_.limits.idle_ms);
    return bytes.size() - arrived_.size();
}

bool HttpConnection::next() {
    if (service_.out.size() > kBatchedOutput)
        flush(service_.out);
    while (fd >= 0 && state_ <= State::chunks && output_.empty() && !arrived_.empty()) {
        const std::size_t used = state_ == State::head ? read_head(arrived_) : read_body(arrived_);
        arrived_.remove_prefix(used);
        if (state_ == State::handling) {
            deadline_ms_ = -1;
            serial = service_.next_serial();
            return true;
        }
        if (used == 0)
            break;
    }
    return false;
}

std::size_t HttpConnection::read_head(std::string_view bytes) {
    const Parsed parsed = head_.parse(bytes);
    if (parsed == Parsed::partial) {
        if (!awaiting_head_)
            arm(service_.limits.head_ms);
        awaiting_head_ = true;
        return 0;
    }
    awaiting_head_ = false;
    if (parsed == Parsed::refused) {
        refuse(head_.status);
        return bytes.size();
    }
    base_ = bytes.data();
    if (!head_.chunked && head_.body_length == 0) {
        state_ = State::handling;
        return head_.length;
    }
    if (head_.body_length > service_.limits.body_bytes) {
        refuse(413);
        return bytes.size();
    }
    head_copy_.assign(bytes.substr(0, head_.length));
    base_ = head_copy_.data();
    chunks_ = Chunks();
    state_ = head_.chunked ? State::chunks : State::body;
    if (head_.expects_continue && !head_.old)
        service_.out += "HTTP/1.1 100 Continue\r\n\r\n";
    arm(service_.limits.body_ms);
    return head_.length;
}

std::size_t HttpConnection::read_body(std::string_view bytes) {
    arm(service_.limits.body_ms);
    if (state_ == State::body) {
        const std::size_t taken =
            std::min<std::size_t>(bytes.size(), head_.body_length - body_.size());
        body_ += bytes.substr(0, taken);
        if (body_.size() == head_.body_length)
            state_ = State::handling;
        return taken;
    }
    std::size_t used = 0;
    const Parsed parsed = chunks_.decode(bytes, service_.limits.body_bytes, body_, used);
    if (parsed == Parsed::refused) {
        refuse(chunks_.too_long() ? 413 : 400);
        return bytes.size();
    }
    if (parsed == Parsed::whole)
        state_ = State::handling;
    return used;
}

// Says what is wrong, and ends: where the next request would begin is not known.
void HttpConnection::refuse(int status) {
    head_.keep_alive = false;
    head_.method = Method::other;
    answer(refusal(status), {});
}

void HttpConnection::add_common(std::string& buffer, const AnswerHead& head) {
    buffer += head.lines;
    buffer += service_.date();
    closes_ = !head_.keep_alive || service_.stopping;
    if (closes_)
        buffer += "Connection: close\r\n";
}

std::string& HttpConnection::out_buffer() {
    if (advancing_)
        return service_.out;
    service_.aside.clear();
    return service_.aside;
}

void HttpConnection::answer(const AnswerHead& head, std::string_view content) {
    std::string& buffer = out_buffer();
    add_common(buffer, head);
    if (head.has_body()) {
        buffer += "Content-Length: ";
        append_number(buffer, content.size(), 10);
        buffer += "\r\n";
    }
    buffer += "\r\n";
    if (head.has_body() && head_.method != Method::head)
        buffer += content;
    answered();
    send();
}

std::size_t HttpConnection::begin_stream(const AnswerHead& head) {
    std::string& buffer = out_buffer();
    add_common(buffer, head);
    if (!head_.old)
        buffer += "Transfer-Encoding: chunked\r\n";
    buffer += "\r\n";
    state_ = State::streaming;
    send();
    return output_.size();
}

std::size_t HttpConnection::write_stream(std::string_view content) {
    if (content.empty() || head_.method == Method::head)
        return output_.size();
    std::string& buffer = out_buffer();
    if (!head_.old) {
        append_number(buffer, content.size(), 16);
        buffer += "\r\n";
    }
    buffer += content;
    if (!head_.old)
        buffer += "\r\n";
    send();
    return output_.size();
}

void HttpConnection::end_stream() {
    std::string& buffer = out_buffer();
    if (head_.method != Method::head && !head_.old)
        buffer += "0\r\n\r\n";
    answered();
    send();
}

bool HttpConnection::upgrade(const std::string& lines) {
    if (head_.old) {
        refuse(400);
        return false;
    }
    std::string& buffer = out_buffer();
    buffer += lines;
    buffer += service_.date();
    buffer += "\r\n";
    state_ = State::upgrading;
    send();
    return true;
}

// What has arrived behind the request goes with the socket.
void HttpConnection::hand_over() {
    const int socket = service_.loop.give_up(this);
    service_.application.upgraded(index, socket, give_up_tls(), input_);
    service_.remove(*this);
}

// The state after an answer. Requests that wait are handled by the service, not from within this.
void HttpConnection::answered() {
    state_ = closes_ ? State::closing : State::head;
    // The answer began before the stop.
    if (service_.stopping && !closes_)
        service_.sweep();
    if (advancing_)
        return;
    if (state_ == State::head)
        arm(service_.limits.idle_ms);
    if (!queued_ && !input_.empty()) {
        service_.queue(*this);
        queued_ = true;
    }
}

// Sends what is in `out_buffer`: at once, unless more requests are being handled.
void HttpConnection::send() {
    if (!advancing_)
        flush(service_.aside);
}

void HttpConnection::flush(std::string& buffer) {
    std::string_view rest = buffer;
    if (output_.empty() && !rest.empty()) {
        const ssize_t count = give(rest);
        if (count < 0 && errno != EAGAIN)
            return shut();
        if (count > 0)
            rest.remove_prefix(static_cast<std::size_t>(count));
    }
    if (!rest.empty()) {
        if (output_.empty())
            arm(service_.limits.write_ms);
        output_ += rest;
    }
    buffer.clear();
    if (!advancing_)
        settle();
}

void HttpConnection::drain_output() {
    if (output_.empty())
        return;
    const ssize_t count = give(output_);
    if (count < 0 && errno != EAGAIN)
        return shut();
    if (count > 0) {
        output_.erase(0, static_cast<std::size_t>(count));
        arm(service_.limits.write_ms);
    }
    if (!output_.empty())
        return;
    std::string().swap(output_);
    if (state_ == State::streaming) {
        deadline_ms_ = -1;
        service_.application.drained(*this);
    } else if (state_ == State::handling) {
        deadline_ms_ = -1;
    } else if (state_ <= State::chunks) {
        if (service_.stopping)
            service_.sweep();
        arm(service_.limits.idle_ms);
        resume();
    }
}

// Sets what the loop watches for, and ends a connection that has nothing more to say.
void HttpConnection::settle() {
    if (fd < 0)
        return;
    if (state_ == State::upgrading && output_.empty())
        return hand_over();
    if (state_ == State::closing && output_.empty()) {
        if (linger())
            return;
    } else if (ended_ && !handling() && output_.empty() && !queued_) {
        return leave();
    }
    const bool reads = !ended_ && output_.empty() && state_ != State::closing &&
                       (!handling() || input_.size() < kWaitingInput);
    const bool writes = !output_.empty() || wants_write();
    const std::uint32_t wanted = (reads ? EPOLLIN : 0U) | (writes ? EPOLLOUT : 0U);
    if (wanted == interest_)
        return;
    interest_ = wanted;
    service_.loop.change(*this, wanted);
}

// Closing with unread bytes would reset the connection, and the answer might be
// lost. False: the end cannot be sent yet.
bool HttpConnection::linger() {
    state_ = State::closing;
    arm(kDrainMs);
    if (!end())
        return false;
    if (ended_) {
        shut();
        return true;
    }
    state_ = State::draining;
    interest_ = EPOLLIN;
    service_.loop.change(*this, interest_);
    return true;
}

void HttpConnection::discard() {
    std::string& buffer = service_.read_buffer;
    const ssize_t count = take(buffer.data(), buffer.size());
    if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR))
        shut();
}

void HttpConnection::check_deadline(double now_ms) {
    if (deadline_ms_ < 0 || now_ms < deadline_ms_)
        return;
    const bool waits =
        output_.empty() && (awaiting_head_ || state_ == State::body || state_ == State::chunks);
    if (waits)
        return refuse(408);
    if (state_ == State::head && output_.empty())
        return leave();
    shut();
}

void HttpConnection::stop() {
    if (state_ == State::head && output_.empty())
        receive();  // what has arrived is answered
    settle();
    if (fd < 0 || state_ != State::head || !output_.empty() || !input_.empty())
        return;
    if (!linger())
        settle();
}

// Ends a connection that owes nothing.
void HttpConnection::leave() {
    end();
    shut();
}

void HttpConnection::shut() {
    if (fd < 0)
        return;
    const bool owes = handling() || state_ == State::upgrading;
    // An answer that is ready by then would end this connection a second time.
    state_ = State::closing;
    if (owes)
        service_.application.closed(*this);
    service_.remove(*this);
    service_.loop.retire(this);
}

void HttpConnection::arm(int limit_ms) {
    deadline_ms_ = monotonic_ms() + limit_ms;
}

}  // namespace sparrow
