// A connected peer: bytes in and out of a descriptor without waiting, over TLS once it is secured.
#pragma once

#include <openssl/ssl.h>
#include <sys/types.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "loop.hpp"

namespace sparrow {

// What a client wants to know of a server's certificate.
enum class Check : int { nothing, chain, host };

SSL* tls_server(SSL_CTX* context);
// A client of `host`. `protocol`: what it asks to speak; empty for no such
// question. `place`: the address, whose sessions it may resume.
SSL* tls_client(SSL_CTX* context, const std::string& host, Check check, const std::string& protocol,
                const std::string& place);

class Peer : public Watch {
public:
    ~Peer() override;

protected:
    // Goes on with TLS, and owns `tls`. The handshake is a part of what reads or writes first.
    void secure(SSL* tls);
    SSL* give_up_tls();

    // As read and send. A mistake of TLS is -1 with EPROTO, and said by
    // `failure`. A peer that leaves without a goodbye of TLS is a mistake too.
    ssize_t take(char* into, std::size_t size);
    ssize_t give(std::string_view content);
    // Completes the handshake: 1, or as `take`.
    ssize_t shake_hands();
    // Ends this side. False: again, when the descriptor takes bytes.
    bool end();

    // The channel binding tls-server-end-point (RFC 5929, 4): the digest of the peer's certificate.
    // Empty without TLS, and for a certificate that has no such digest.
    std::string server_end_point() const;

    bool has_tls() const { return tls_ != nullptr; }
    bool shaking_hands() const { return tls_ && !SSL_is_init_finished(tls_); }
    // Whether TLS has bytes of its own that the descriptor does not take yet; and
    // whether `take` waits for that.
    bool wants_write() const { return reading_writes_ || ending_writes_; }
    bool take_waits() const { return reading_writes_; }
    const std::string& failure() const { return failure_; }

private:
    ssize_t outcome(int result, bool& writes);

    SSL* tls_ = nullptr;
    bool reading_writes_ = false, ending_writes_ = false, side_ended_ = false;
    std::string failure_;
};

// What OpenSSL has last complained of, in its words.
std::string tls_complaint();

}  // namespace sparrow
