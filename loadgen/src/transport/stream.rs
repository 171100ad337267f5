//! One connection's byte stream: a socket, and a cipher on it where TLS is used.

use std::io;
use std::os::fd::AsRawFd;

use socket2::{SockAddr, Socket};

use super::tls::{Cipher, Tls};
use runfair_measuring::kernel::socket;

/// What a read brought.
pub enum Received {
    /// So many bytes, and the realtime instant (ns) at which the last reached this host.
    Bytes(usize, Option<u64>),
    /// Nothing for now.
    Nothing,
    /// The peer has finished.
    End,
    /// The connection is broken.
    Broken(io::Error),
}

/// An open or opening connection.
pub struct Stream {
    socket: Socket,
    stamped: bool,
    cipher: Option<Box<Cipher>>,
    /// Bytes for the socket that did not fit yet.
    outgoing: Vec<u8>,
    outgoing_from: usize,
}

/// Why a connection could not be opened.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the texts say it")]
pub enum OpenError {
    #[error("{0}")]
    Socket(#[from] io::Error),
    #[error("{0:#}")]
    Tls(anyhow::Error),
}

impl Stream {
    /// Begins to connect. `true` beside it: the socket is established already.
    ///
    /// # Errors
    /// What the kernel knows of at once.
    pub fn open(
        source: Option<&SockAddr>,
        address: &SockAddr,
        stamped: bool,
        tls: Option<&Tls>,
    ) -> Result<(Self, bool), OpenError> {
        let (socket, established) = socket::connect(source, address, stamped)?;
        let mut stream = Self {
            socket,
            stamped,
            cipher: None,
            outgoing: Vec::new(),
            outgoing_from: 0,
        };
        if let Some(tls) = tls {
            let mut cipher = tls.cipher().map_err(OpenError::Tls)?;
            cipher.unbounded();
            cipher.take_outgoing(&mut stream.outgoing)?; // the hello
            stream.cipher = Some(Box::new(cipher));
        }
        Ok((stream, established))
    }

    /// The socket's descriptor.
    pub fn descriptor(&self) -> i32 {
        self.socket.as_raw_fd()
    }

    /// How an attempt to connect ended.
    ///
    /// # Errors
    /// Why it failed.
    pub fn connected(&self) -> io::Result<bool> {
        socket::established(&self.socket)
    }

    /// Whether TLS is still agreeing on keys.
    pub fn is_handshaking(&self) -> bool {
        self.cipher
            .as_ref()
            .is_some_and(|cipher| cipher.is_handshaking())
    }

    /// Whether bytes wait for room in the socket.
    #[inline]
    pub fn is_sending(&self) -> bool {
        self.outgoing_from < self.outgoing.len()
    }

    /// Sends a whole request; what does not fit now is kept for [`Self::flush`].
    ///
    /// # Errors
    /// The connection is broken.
    #[inline]
    pub fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        if let Some(cipher) = &mut self.cipher {
            cipher.write(bytes)?;
            cipher.take_outgoing(&mut self.outgoing)?;
            return self.flush();
        }
        if self.is_sending() {
            self.outgoing.extend_from_slice(bytes);
            return Ok(());
        }
        let sent = match socket::send(self.descriptor(), bytes) {
            Ok(sent) => sent,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => 0,
            Err(error) => return Err(error),
        };
        if sent < bytes.len() {
            self.outgoing.extend_from_slice(&bytes[sent..]);
        }
        Ok(())
    }

    /// Keeps bytes that are to go first of all, once the stream is established.
    ///
    /// # Errors
    /// Never in practice: the destination is memory.
    pub fn queue(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.cipher {
            Some(cipher) => cipher.write(bytes),
            None => {
                self.outgoing.extend_from_slice(bytes);
                Ok(())
            }
        }
    }

    /// The protocol that TLS has agreed on (ALPN).
    pub fn agreed_protocol(&self) -> Option<&[u8]> {
        self.cipher.as_ref()?.agreed_protocol()
    }

    /// Sends what waits, as far as it fits.
    ///
    /// # Errors
    /// The connection is broken.
    pub fn flush(&mut self) -> io::Result<()> {
        while self.is_sending() {
            match socket::send(self.descriptor(), &self.outgoing[self.outgoing_from..]) {
                Ok(sent) => self.outgoing_from += sent,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        self.outgoing.clear();
        self.outgoing_from = 0;
        Ok(())
    }

    /// Reads what has come, as it came over the socket.
    #[inline]
    pub fn receive(&mut self, into: &mut [u8]) -> Received {
        let result = if self.stamped {
            socket::receive_stamped(self.descriptor(), into)
        } else {
            socket::receive(self.descriptor(), into).map(|count| (count, None))
        };
        match result {
            Ok((0, _)) => Received::End,
            Ok((count, stamp)) => Received::Bytes(count, stamp),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Received::Nothing,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Received::Nothing,
            Err(error) => Received::Broken(error),
        }
    }

    /// The cipher, where there is one, to make plain bytes of what was received.
    #[inline]
    pub fn cipher(&mut self) -> Option<&mut Cipher> {
        self.cipher.as_deref_mut()
    }

    /// Sends what the cipher has to say by itself (handshake, alerts).
    ///
    /// # Errors
    /// The connection is broken.
    pub fn flush_cipher(&mut self) -> io::Result<()> {
        if let Some(cipher) = &mut self.cipher {
            cipher.take_outgoing(&mut self.outgoing)?;
        }
        self.flush()
    }
}
