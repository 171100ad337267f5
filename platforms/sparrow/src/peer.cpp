#include "peer.hpp"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <utility>

#include "tls_sessions.hpp"

namespace sparrow {

std::string tls_complaint() {
    const unsigned long code = ERR_peek_last_error();
    const char* reason = ERR_reason_error_string(code);
    if (reason)
        return reason;
    return code == 0 ? "no reason is known" : "error " + std::to_string(code);
}

SSL* tls_server(SSL_CTX* context) {
    SSL* made = SSL_new(context);
    SSL_set_accept_state(made);
    return made;
}

SSL* tls_client(SSL_CTX* context, const std::string& host, Check check, const std::string& protocol,
                const std::string& place) {
    SSL* made = SSL_new(context);
    SSL_set_connect_state(made);
    unsigned char address[sizeof(in6_addr)];
    const bool numeric = inet_pton(AF_INET, host.c_str(), address) == 1 ||
                         inet_pton(AF_INET6, host.c_str(), address) == 1;
    if (!numeric && !host.empty())
        SSL_set_tlsext_host_name(made, host.c_str());
    if (check == Check::host && numeric) {
        X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(made), host.c_str());
    } else if (check == Check::host) {
        SSL_set_hostflags(made, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
        SSL_set1_host(made, host.c_str());
    }
    SSL_set_verify(made, check == Check::nothing ? SSL_VERIFY_NONE : SSL_VERIFY_PEER, nullptr);
    const std::string asked = static_cast<char>(protocol.size()) + protocol;
    if (!protocol.empty())
        SSL_set_alpn_protos(made, reinterpret_cast<const unsigned char*>(asked.data()),
                            static_cast<unsigned int>(asked.size()));
    const std::string checked = std::to_string(static_cast<int>(check));
    resume_session(made, checked + '\n' + host + '\n' + protocol + '\n' + place);
    return made;
}

Peer::~Peer() {
    SSL_free(tls_);
}

void Peer::secure(SSL* tls) {
    tls_ = tls;
    SSL_set_fd(tls_, fd);
}

SSL* Peer::give_up_tls() {
    return std::exchange(tls_, nullptr);
}

// OpenSSL reads no more than the record that it gives, so that the loop sees what else has arrived.
ssize_t Peer::take(char* into, std::size_t size) {
    // Not recv: a terminal and a pipe are read too.
    if (!tls_)
        return read(fd, into, size);
    ERR_clear_error();
    return outcome(SSL_read(tls_, into, static_cast<int>(std::min<std::size_t>(size, INT_MAX))),
                   reading_writes_);
}

ssize_t Peer::give(std::string_view content) {
    if (!tls_)
        return send(fd, content.data(), content.size(), MSG_NOSIGNAL);
    std::size_t given = 0;
    bool waits = false;  // the caller keeps the rest, and comes again
    while (given < content.size()) {
        const std::string_view rest = content.substr(given, INT_MAX);
        ERR_clear_error();
        const ssize_t count =
            outcome(SSL_write(tls_, rest.data(), static_cast<int>(rest.size())), waits);
        if (count <= 0)
            return given > 0 && errno == EAGAIN ? static_cast<ssize_t>(given) : -1;
        given += static_cast<std::size_t>(count);
    }
    return static_cast<ssize_t>(given);
}

ssize_t Peer::shake_hands() {
    ERR_clear_error();
    const ssize_t done = outcome(SSL_do_handshake(tls_), reading_writes_);
    if (done != 0)
        return done;
    failure_ = "the peer closed the connection during the handshake";
    errno = EPROTO;
    return -1;
}

std::string Peer::server_end_point() const {
    X509* certificate = tls_ ? SSL_get0_peer_certificate(tls_) : nullptr;
    int kind = NID_undef;
    if (!certificate || X509_get_signature_info(certificate, &kind, nullptr, nullptr, nullptr) != 1)
        return {};
    if (kind == NID_md5 || kind == NID_sha1)
        kind = NID_sha256;
    const EVP_MD* digest = EVP_get_digestbynid(kind);
    unsigned char into[EVP_MAX_MD_SIZE];
    unsigned int size = 0;
    if (!digest || X509_digest(certificate, digest, into, &size) != 1)
        return {};
    return {reinterpret_cast<char*>(into), size};
}

bool Peer::end() {
    if (side_ended_)
        return true;
    if (tls_ && failure_.empty() && !shaking_hands()) {
        ERR_clear_error();
        const int said = SSL_shutdown(tls_);
        // 0: the peer has not said goodbye yet, which is its own affair.
        if (said < 0 && outcome(said, ending_writes_) < 0 && ending_writes_)
            return false;
        ending_writes_ = false;
    }
    side_ended_ = true;
    shutdown(fd, SHUT_WR);
    return true;
}

// A result of OpenSSL as a system call would have said it.
ssize_t Peer::outcome(int result, bool& writes) {
    writes = false;
    if (result > 0)
        return result;
    const int system = errno;
    const int kind = SSL_get_error(tls_, result);
    if (kind == SSL_ERROR_ZERO_RETURN)
        return 0;
    writes = kind == SSL_ERROR_WANT_WRITE;
    if (kind == SSL_ERROR_WANT_READ || kind == SSL_ERROR_WANT_WRITE) {
        errno = EAGAIN;
    } else if (const auto code = ERR_peek_last_error(); ERR_SYSTEM_ERROR(code)) {
        errno = ERR_GET_REASON(code);
    } else if (kind == SSL_ERROR_SYSCALL) {
        errno = system != 0 ? system : ECONNRESET;
    } else {
        failure_ = tls_complaint();
        const long found = SSL_get_verify_result(tls_);
        if (found != X509_V_OK &&
            ERR_GET_REASON(ERR_peek_last_error()) == SSL_R_CERTIFICATE_VERIFY_FAILED)
            failure_ += std::string(": ") + X509_verify_cert_error_string(found);
        errno = EPROTO;
    }
    return -1;
}

}  // namespace sparrow
