//! A certificate authority of the tests' own.

use std::io;
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::server::danger::ClientCertVerifier;
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig, ServerConnection, StreamOwned};

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

    /// Writes a new certificate and its key for a client.
    pub fn write_client(&self, certificate: &Path, key: &Path) {
        let pair = KeyPair::generate().unwrap();
        let signed = CertificateParams::new(vec!["client.example".to_owned()])
            .unwrap()
            .signed_by(&pair, &self.issuer)
            .unwrap();
        std::fs::write(certificate, signed.pem()).unwrap();
        std::fs::write(key, pair.serialize_pem()).unwrap();
    }

    /// A server's side, with a new certificate for `name`.
    pub fn acceptor(&self, name: &str) -> Acceptor {
        self.acceptor_of(name, WebPkiClientVerifier::no_client_auth())
    }

    /// The same, for clients alone that show a certificate of this authority.
    pub fn strict_acceptor(&self, name: &str) -> Acceptor {
        let mut roots = RootCertStore::empty();
        roots.add(self.issuer.der().clone()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let clients = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider)
            .build()
            .unwrap();
        self.acceptor_of(name, clients)
    }

    fn acceptor_of(&self, name: &str, clients: Arc<dyn ClientCertVerifier>) -> Acceptor {
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
            .with_client_cert_verifier(clients)
            .with_single_cert(vec![certificate.der().clone()], private)
            .unwrap();
        Acceptor {
            config: Arc::new(config),
        }
    }
}

impl Acceptor {
    /// The same, which agrees on this protocol inside TLS (ALPN).
    pub fn speaking(&self, protocol: &[u8]) -> Self {
        let mut config = ServerConfig::clone(&self.config);
        config.alpn_protocols = vec![protocol.to_vec()];
        Self {
            config: Arc::new(config),
        }
    }

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
