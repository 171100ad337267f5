//! Colours a graph by Wigderson's algorithm over hash tables; see `langbench/colouring/contract.md`.

mod attempt;
mod graph;

use std::collections::HashMap;
use std::process::ExitCode;
use std::rc::Rc;

use runfair_harness::{fnv1a, read, Benchmark, Counter, Failure, Options, FNV1A};

use crate::attempt::{Attempt, Colour};
use crate::graph::{Graph, Vertex};

const ATTEMPTS: usize = 0;

struct Colouring {
    graph: Rc<Graph>,
    recursive: bool,
}

struct Answer {
    colours: HashMap<Vertex, Colour>,
    end: Colour,
}

impl Benchmark for Colouring {
    const NAME: &'static str = "colouring";
    const COUNTERS: &'static [&'static str] =
        &["attempts", "subgraphs", "vertices", "edges", "probes"];

    /// No iteration changes the graph.
    type Work = ();
    type Answer = Answer;

    fn load(options: &Options) -> Result<Self, Failure> {
        let graph = Rc::new(Graph::parse(&read(options.text("input")?)?)?);
        Ok(Self { graph, recursive: options.text("form")? == "recursive" })
    }

    fn prepare(&self) {}

    /// Finds the least k that is enough, each time with an attempt made anew.
    fn run<const COUNT: bool>(
        &self,
        (): (),
        counter: &mut Counter<COUNT>,
    ) -> Result<Answer, Failure> {
        let mut k = 2;
        loop {
            counter.tick(ATTEMPTS);
            let mut attempt = Attempt::new(counter);
            let end = if self.recursive {
                attempt.recursive(&self.graph, k, 0)
            } else {
                attempt.iterative(&self.graph, k)
            };
            if let Some(end) = end {
                return Ok(Answer { colours: attempt.colours, end });
            }
            k += 1;
        }
    }

    fn digest(&self, answer: &Answer) -> u64 {
        self.verify(answer);
        let mut hash = FNV1A;
        for u in &self.graph.vertices {
            hash = fnv1a(hash, format!("{}\n", answer.colours[u]).as_bytes());
        }
        hash = fnv1a(hash, format!("{}\n", answer.end).as_bytes());
        hash
    }
}

impl Colouring {
    /// Panics where the colouring is not proper.
    fn verify(&self, Answer { colours, end }: &Answer) {
        for u in &self.graph.vertices {
            let colour = colours[u];
            assert!(colour < *end, "vertex {u} has colour {colour} of only {end}");
            for w in &self.graph.neighbours[u] {
                assert_ne!(colours[w], colour, "vertices {u} and {w} are neighbours of one colour");
            }
        }
    }
}

fn main() -> ExitCode {
    runfair_harness::main::<Colouring>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn colouring(edges: &[u8]) -> Result<Colouring, Failure> {
        Ok(Colouring { graph: Rc::new(Graph::parse(edges)?), recursive: true })
    }

    #[test]
    #[should_panic(expected = "neighbours of one colour")]
    fn an_improper_colouring_is_no_answer() {
        if let Ok(colouring) = colouring(b"1\t2\n") {
            colouring.verify(&Answer { colours: HashMap::from([(1, 0), (2, 0)]), end: 1 });
        }
    }

    #[test]
    fn a_square_has_two_colours_and_a_complete_graph_its_vertices() -> Result<(), Failure> {
        let square = colouring(b"1\t2\n2\t3\n3\t4\n4\t1\n")?;
        assert_eq!(square.run((), &mut Counter::<false>::default())?.end, 2);
        let complete = colouring(b"1\t2\n1\t3\n1\t4\n2\t3\n2\t4\n3\t4\n")?;
        assert_eq!(complete.run((), &mut Counter::<false>::default())?.end, 4);
        Ok(())
    }
}
