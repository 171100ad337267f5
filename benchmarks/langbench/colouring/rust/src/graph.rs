//! Graphs of hash tables, and the edge lists they are read from.

use std::collections::{HashMap, HashSet};

use runfair_harness::UserError;

pub type Vertex = u32;

/// Vertices in ascending order, and the neighbours of each.
#[derive(Default)]
pub struct Graph {
    pub vertices: Vec<Vertex>,
    pub neighbours: HashMap<Vertex, HashSet<Vertex>>,
}

impl Graph {
    /// Reads an edge a line.
    pub fn parse(text: &[u8]) -> Result<Self, UserError> {
        let mut graph = Self::default();
        let lines = text.strip_suffix(b"\n").unwrap_or(text);
        for (index, line) in lines.split(|&byte| byte == b'\n').enumerate() {
            if line.starts_with(b"#") {
                continue;
            }
            let (u, v) = parse_edge(line).ok_or_else(|| {
                bad_line(
                    index,
                    &format!("an edge is two ids from 0 to {} and a tab between", Vertex::MAX),
                )
            })?;
            if u == v {
                let what = format!("vertex {u} is joined to itself, and so has no colour");
                return Err(bad_line(index, &what));
            }
            graph.neighbours.entry(u).or_default().insert(v);
            graph.neighbours.entry(v).or_default().insert(u);
        }
        if graph.neighbours.is_empty() {
            return Err(UserError("the input has no edge; make it with generate.py".to_owned()));
        }
        graph.vertices.extend(graph.neighbours.keys());
        graph.vertices.sort_unstable();
        Ok(graph)
    }
}

fn parse_edge(line: &[u8]) -> Option<(Vertex, Vertex)> {
    let line = std::str::from_utf8(line.strip_suffix(b"\r").unwrap_or(line)).ok()?;
    let (u, v) = line.split_once('\t')?;
    Some((parse_id(u)?, parse_id(v)?))
}

/// An id of 1 to 10 digits.
fn parse_id(digits: &str) -> Option<Vertex> {
    // `parse` alone would take a sign.
    let plain = digits.len() <= 10 && digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|_| plain)
}

fn bad_line(index: usize, what: &str) -> UserError {
    UserError(format!("line {} of the input: {what}; take a SNAP edge list", index + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duplicates_are_one_edge() -> Result<(), UserError> {
        let graph = Graph::parse(b"# a comment\n7\t4294967295\r\n4294967295\t7\n7\t0")?;
        assert_eq!(graph.vertices, [0, 7, 4_294_967_295]);
        assert_eq!(graph.neighbours[&7].len(), 2);
        assert_eq!(graph.neighbours[&0].len(), 1);
        Ok(())
    }

    #[test]
    fn other_lines_are_refused() {
        for line in [
            "",
            "1",
            "1 2",
            "1\t",
            "1\t2\t3",
            "+1\t2",
            "1\t4294967296",
            "00000000001\t2",
            "1\t2\r\r",
        ] {
            assert!(parse_edge(line.as_bytes()).is_none(), "{line:?}");
        }
        assert_eq!(parse_edge(b"0000000001\t2\r"), Some((1, 2)));
    }
}
