use std::io::{self, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use super::*;

const COUNT: usize = 20;
const INT4: [u8; 4] = 23_i32.to_be_bytes();

#[test]
fn all_rows_are_asked_for_before_the_first_answer() -> Result<(), Failure> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let url = format!("postgresql://user@{}/database", listener.local_addr()?);
    thread::spawn(move || {
        let (client, _) = listener.accept()?;
        Patient { from: BufReader::new(client.try_clone()?), to: client }.serve()
    });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let database = Database::open(&url, 1).await.map_err(|error| error.to_string())?;
        assert_eq!(database.rows(COUNT).await?.len(), COUNT);
        Ok(())
    })
}

/// A PostgreSQL server of one table, which answers no query before it has got `COUNT` of them.
struct Patient {
    from: BufReader<TcpStream>,
    to: TcpStream,
}

impl Patient {
    fn serve(mut self) -> io::Result<()> {
        self.to.set_read_timeout(Some(Duration::from_secs(10)))?;
        self.body()?; // the startup message, the only one without a type
        self.answer(b'R', &0_i32.to_be_bytes())?; // authenticated
        self.answer(b'Z', b"I")?; // ready for queries
        let mut executed = 0;
        loop {
            let kind = self.kind()?;
            self.body()?;
            match kind {
                b'P' => self.answer(b'1', &[])?,
                b'D' => {
                    self.answer(b't', &[&[0, 1], &INT4[..]].concat())?; // a statement's parameter
                    self.answer(b'T', &[&[0, 2], &column("id")[..], &column("r")].concat())?;
                }
                b'E' => executed += 1,
                b'S' if executed == 0 => self.answer(b'Z', b"I")?,
                b'S' if executed == COUNT => {
                    for _ in 0..executed {
                        self.row()?;
                    }
                }
                _ => (),
            }
        }
    }

    fn row(&mut self) -> io::Result<()> {
        self.answer(b'2', &[])?;
        self.answer(b'D', &[0, 2, 0, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 1])?;
        self.answer(b'C', b"SELECT 1\0")?;
        self.answer(b'Z', b"I")
    }

    fn kind(&mut self) -> io::Result<u8> {
        let mut kind = [0];
        self.from.read_exact(&mut kind)?;
        Ok(kind[0])
    }

    fn body(&mut self) -> io::Result<()> {
        let mut length = [0; 4];
        self.from.read_exact(&mut length)?;
        let rest = u64::from(u32::from_be_bytes(length)) - 4;
        io::copy(&mut self.from.by_ref().take(rest), &mut io::sink()).map(|_| ())
    }

    fn answer(&mut self, kind: u8, body: &[u8]) -> io::Result<()> {
        let length = (body.len() as u32 + 4).to_be_bytes();
        self.to.write_all(&[&[kind], &length[..], body].concat())
    }
}

/// A column of integers, as RowDescription describes it.
fn column(name: &str) -> Vec<u8> {
    let no_table = [0; 6];
    let four_bytes_without_modifier = [0, 4, 255, 255, 255, 255];
    let text = [0, 0];
    [name.as_bytes(), &[0], &no_table, &INT4, &four_bytes_without_modifier, &text].concat()
}
