//! TLS on the client's side, by rustls: which certificates are trusted, and the
//! cipher between a socket's bytes and the protocol's.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{anyhow, bail, Context};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::WantsClientCert;
use rustls::crypto::{ring, verify_tls12_signature, verify_tls13_signature, CryptoProvider};
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{
    ClientConfig, ClientConnection, ConfigBuilder, DigitallySignedStruct, RootCertStore,
    SignatureScheme,
};

/// Which certificate of the server is good.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trust {
    /// Those that the system's authorities signed.
    System,
    /// Those that an authority of this PEM file signed.
    File(PathBuf),
    /// Any, unseen.
    Anything,
}

/// What a server is shown of the client: PEM files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The certificate, and those that signed it.
    pub certificate: PathBuf,
    /// Its private key.
    pub key: PathBuf,
}

/// What an error of the library means before a connection is open.
const NOT_SET_UP: &str = "TLS cannot be set up";

/// TLS as every connection of a run uses it. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Tls {
    config: Arc<ClientConfig>,
    name: ServerName<'static>,
}

impl Tls {
    /// `application`: the protocol inside, where it is to be agreed on (ALPN).
    ///
    /// # Errors
    /// An unreadable or empty file of authorities, a name that no certificate can have, a
    /// certificate and key that do not go together.
    pub fn new(
        trust: &Trust,
        identity: Option<&Identity>,
        name: &str,
        application: Option<&[u8]>,
    ) -> anyhow::Result<Self> {
        let server = ServerName::try_from(name.to_owned()).map_err(|_| {
            anyhow!("{name:?} cannot be the name in a certificate; give a name with --server-name")
        })?;
        let provider = Arc::new(ring::default_provider());
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .context(NOT_SET_UP)?;
        let builder = match trust {
            Trust::Anything => builder
                .dangerous()
                .with_custom_certificate_verifier(Arc::new(Unverified(provider))),
            Trust::System => builder.with_root_certificates(system_authorities()?),
            Trust::File(path) => builder.with_root_certificates(authorities(path)?),
        };
        let mut config = match identity {
            None => builder.with_no_client_auth(),
            Some(identity) => identified(builder, identity)?,
        };
        config.alpn_protocols = application.into_iter().map(<[u8]>::to_vec).collect();
        Ok(Self {
            config: Arc::new(config),
            name: server,
        })
    }

    /// A cipher for one connection, its hello waiting to be sent.
    ///
    /// # Errors
    /// What the library refuses.
    pub fn cipher(&self) -> anyhow::Result<Cipher> {
        let connection = ClientConnection::new(Arc::clone(&self.config), self.name.clone());
        Ok(Cipher(connection.context(NOT_SET_UP)?))
    }
}

/// A client that shows its certificate to servers that ask for one.
fn identified(
    builder: ConfigBuilder<ClientConfig, WantsClientCert>,
    identity: &Identity,
) -> anyhow::Result<ClientConfig> {
    let wrong = |path: &Path, reason: String| {
        anyhow!("{path:?} cannot be used to identify the client: {reason}")
    };
    let unreadable = |error: pem::Error| wrong(&identity.certificate, error.to_string());
    let certificates = CertificateDer::pem_file_iter(&identity.certificate)
        .map_err(unreadable)?
        .collect::<Result<Vec<_>, _>>()
        .map_err(unreadable)?;
    if certificates.is_empty() {
        let reason = "the file contains no certificate".to_owned();
        return Err(wrong(&identity.certificate, reason));
    }
    let key = PrivateKeyDer::from_pem_file(&identity.key)
        .map_err(|error| wrong(&identity.key, error.to_string()))?;
    builder
        .with_client_auth_cert(certificates, key)
        .map_err(|error| wrong(&identity.key, error.to_string()))
}

fn system_authorities() -> anyhow::Result<RootCertStore> {
    let mut store = RootCertStore::empty();
    store.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if store.is_empty() {
        bail!(
            "this system has no certificate authorities; give a PEM file of authorities with --ca FILE"
        );
    }
    Ok(store)
}

fn authorities(path: &Path) -> anyhow::Result<RootCertStore> {
    let wrong =
        |reason: String| anyhow!("{path:?} contains no usable certificate authority: {reason}");
    let mut store = RootCertStore::empty();
    for certificate in
        CertificateDer::pem_file_iter(path).map_err(|error| wrong(error.to_string()))?
    {
        let certificate = certificate.map_err(|error| wrong(error.to_string()))?;
        store
            .add(certificate)
            .map_err(|error| wrong(error.to_string()))?;
    }
    if store.is_empty() {
        return Err(wrong("the file contains no certificate".to_owned()));
    }
    Ok(store)
}

/// Takes any certificate, but still wants the handshake to be signed by it.
#[derive(Debug)]
struct Unverified(Arc<CryptoProvider>);

impl ServerCertVerifier for Unverified {
    fn verify_server_cert(
        &self,
        _certificate: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _name: &ServerName<'_>,
        _ocsp: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(
            message,
            certificate,
            signature,
            &self.0.signature_verification_algorithms,
        )
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(
            message,
            certificate,
            signature,
            &self.0.signature_verification_algorithms,
        )
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

/// One connection's cipher.
pub struct Cipher(ClientConnection);

impl Cipher {
    /// Whether the handshake is not over yet.
    pub fn is_handshaking(&self) -> bool {
        self.0.is_handshaking()
    }

    /// The protocol inside that both have agreed on (ALPN).
    pub fn agreed_protocol(&self) -> Option<&[u8]> {
        self.0.alpn_protocol()
    }

    /// Makes plain bytes of the socket's, as many as `plain` holds at a time, and
    /// shortens `bytes` by what it took; 0 when all is taken and said.
    ///
    /// # Errors
    /// A broken record, a certificate that is not good, an alert of the server.
    pub fn decrypt(&mut self, bytes: &mut &[u8], plain: &mut [u8]) -> Result<usize, rustls::Error> {
        loop {
            // The reader's "would block" and "closed" mean alike that nothing is there.
            let count = self.0.reader().read(plain).unwrap_or(0);
            if count > 0 || bytes.is_empty() {
                return Ok(count);
            }
            let taken = self
                .0
                .read_tls(bytes)
                .map_err(|error| rustls::Error::General(error.to_string()))?;
            if taken == 0 {
                // The peer has said that it ends: what follows is no part of the session.
                *bytes = &[];
                return Ok(0);
            }
            self.0.process_new_packets()?;
        }
    }

    /// Whether the peer has said that it sends no more (close_notify).
    pub fn has_ended(&mut self) -> bool {
        self.0
            .process_new_packets()
            .is_ok_and(|state| state.peer_has_closed())
    }

    /// Takes plain bytes to be sent.
    ///
    /// # Errors
    /// `WriteZero` when the library's buffer takes no more.
    pub fn write(&mut self, plain: &[u8]) -> io::Result<()> {
        self.0.writer().write_all(plain)
    }

    /// Appends the socket bytes that wait to be sent.
    ///
    /// # Errors
    /// Never in practice: the destination is memory.
    pub fn take_outgoing(&mut self, out: &mut Vec<u8>) -> io::Result<()> {
        while self.0.wants_write() {
            self.0.write_tls(out)?;
        }
        Ok(())
    }

    /// No limit on what waits inside: the caller sends it at once or keeps it itself.
    pub fn unbounded(&mut self) {
        self.0.set_buffer_limit(None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustls::{ServerConfig, ServerConnection};

    /// A client's cipher and a server's, agreed on their keys.
    fn session() -> (Cipher, ServerConnection) {
        let certified = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
        let key = rustls::pki_types::PrivateKeyDer::try_from(certified.signing_key.serialize_der());
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certified.cert.der().clone()], key.unwrap())
            .unwrap();
        let mut server = ServerConnection::new(Arc::new(config)).unwrap();
        let mut client = Tls::new(&Trust::Anything, None, "localhost", None)
            .unwrap()
            .cipher()
            .unwrap();
        while client.is_handshaking() || server.is_handshaking() {
            let mut out = Vec::new();
            client.take_outgoing(&mut out).unwrap();
            let mut bytes = out.as_slice();
            while !bytes.is_empty() {
                server.read_tls(&mut bytes).unwrap();
                server.process_new_packets().unwrap();
            }
            deliver(&mut server, &mut client, &[]);
        }
        (client, server)
    }

    /// What the server has to say, and what comes after it, read by the client.
    fn deliver(server: &mut ServerConnection, client: &mut Cipher, after: &[u8]) -> Vec<u8> {
        let mut wire = Vec::new();
        while server.wants_write() {
            server.write_tls(&mut wire).unwrap();
        }
        wire.extend_from_slice(after);
        let (mut said, mut plain) = (Vec::new(), [0; 64]);
        let mut bytes = wire.as_slice();
        loop {
            match client.decrypt(&mut bytes, &mut plain).unwrap() {
                0 => break,
                count => said.extend_from_slice(&plain[..count]),
            }
        }
        assert!(bytes.is_empty());
        said
    }

    #[test]
    fn a_message_longer_than_the_room_comes_whole() {
        let (mut client, mut server) = session();
        let message: Vec<u8> = (0..100_000_u32).map(|number| number as u8).collect();
        server.set_buffer_limit(None);
        server.writer().write_all(&message).unwrap();
        assert_eq!(deliver(&mut server, &mut client, &[]), message);
        assert!(!client.has_ended());
    }

    #[test]
    fn bytes_after_the_end_of_the_session_are_passed_over() {
        let (mut client, mut server) = session();
        server.writer().write_all(b"last").unwrap();
        server.send_close_notify();
        assert_eq!(deliver(&mut server, &mut client, &[0; 9000]), b"last");
        assert!(client.has_ended());
        let mut bytes: &[u8] = b"more";
        assert_eq!(client.decrypt(&mut bytes, &mut [0; 64]).unwrap(), 0);
        assert!(bytes.is_empty());
    }

    #[test]
    fn a_name_that_no_certificate_has_says_what_to_do() {
        let error = Tls::new(&Trust::Anything, None, "not a name", None).unwrap_err();
        assert!(error.to_string().contains("--server-name"));
    }
}
