//! A certificate authority of the tests' own.

use std::io;
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// An authority that signs certificates for servers.
pub struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
}

/// Speaks TLS as a server.
#[derive(Clone)]
pub struct Acceptor {
    config: Arc<ServerConfig>,
}

impl Authority {
    /// A new one, that nobody trusts yet.
    pub fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params
            .distinguished_name
            .push(DnType::CommonName, "authority of the tests");
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        Self { issuer }
    }

    /// Writes its certificate, to be trusted.
    pub fn write(&self, path: &Path) {
        std::fs::write(path, self.issuer.pem()).unwrap();
    }

    /// A server's side, with a new certificate for `name`.
    pub fn acceptor(&self, name: &str) -> Acceptor {
        let key = KeyPair::generate().unwrap();
        let certificate = CertificateParams::new(vec![name.to_owned()])
            .unwrap()
            .signed_by(&key, &self.issuer)
            .unwrap();
        let private = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], private)
            .unwrap();
        Acceptor {
            config: Arc::new(config),
        }
    }
}

impl Acceptor {
    /// A connection inside TLS; the handshake comes with the first reading.
    ///
    /// # Errors
    /// The session cannot begin.
    pub fn accept(
        &self,
        stream: TcpStream,
    ) -> io::Result<StreamOwned<ServerConnection, TcpStream>> {
        let session = ServerConnection::new(Arc::clone(&self.config)).map_err(io::Error::other)?;
        Ok(StreamOwned::new(session, stream))
    }
}
