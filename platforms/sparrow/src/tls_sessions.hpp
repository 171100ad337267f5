// Sessions of TLS that a client can resume. A context keeps the last one of each peer.
#pragma once

#include <openssl/ssl.h>

#include <string>

namespace sparrow {

// The clients of this context get sessions, and may resume them.
void keep_sessions(SSL_CTX* context);

// Resumes the session of a peer if there is one. A resumed session checks no certificate, so `peer`
// must name all that was checked.
void resume_session(SSL* tls, std::string peer);

}  // namespace sparrow
