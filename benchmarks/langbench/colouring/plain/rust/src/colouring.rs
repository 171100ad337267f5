//! The contract's pseudocode over `HashMap` and `HashSet`: `langbench/colouring/contract.md`.

use std::collections::{HashMap, HashSet};
use std::process::ExitCode;

use runfair_harness::{fnv1a, read, Benchmark, Counter, Failure, Options, UserError, FNV1A};

const ATTEMPTS: usize = 0;
const SUBGRAPHS: usize = 1;
const VERTICES: usize = 2;
const EDGES: usize = 3;
const PROBES: usize = 4;

type Set = HashSet<u32>;
type Table = HashMap<u32, usize>;

#[derive(Default)]
struct Graph {
    vertices: Vec<u32>,
    neighbours: HashMap<u32, Set>,
}

struct Attempt<'a, const COUNT: bool> {
    colours: Table,
    counter: &'a mut Counter<COUNT>,
}

/// A call of `recursive` that has an inner one under way.
struct Frame {
    graph: Graph,
    k: usize,
    first: usize,
    end: usize,
    degrees: Option<Table>,
    hub: u32,
}

impl<const COUNT: bool> Attempt<'_, COUNT> {
    fn recursive(&mut self, graph: &Graph, k: usize, mut first: usize) -> Option<usize> {
        if k == 2 {
            return self.two_colour(graph, first);
        }
        let mut degrees = self.degrees_of(graph);
        let mut end = first;
        loop {
            let (hub, degree) = self.widest(graph, &degrees);
            if !is_wide(degree, graph.vertices.len(), k) {
                return Some(end.max(self.greedy(graph, &degrees, first)));
            }
            let inner = self.neighbourhood(graph, &degrees, hub);
            let free = self.recursive(&inner, k - 1, first)?;
            self.colours.insert(hub, free);
            end = free + 1;
            self.remove(graph, &mut degrees, hub, &inner);
            first = free;
        }
    }

    fn iterative(&mut self, whole: &Graph, k: usize) -> Option<usize> {
        let frame = |graph, k, first| Frame { graph, k, first, end: first, degrees: None, hub: 0 };
        // The lowest frame's graph is the whole one, which it borrows: its own stays empty.
        let mut stack = vec![frame(Graph::default(), k, 0)];
        let mut free = 0;
        let mut coloured = None; // the graph of the frame that was popped last
        while let Some(mut top) = stack.pop() {
            let graph = if stack.is_empty() { whole } else { &top.graph };
            if top.k == 2 {
                free = self.two_colour(graph, top.first)?;
                coloured = Some(top.graph);
                continue;
            }
            let mut degrees = match top.degrees.take() {
                None => self.degrees_of(graph),
                Some(mut degrees) => {
                    self.colours.insert(top.hub, free);
                    top.end = free + 1;
                    let inner = coloured.take().unwrap_or_default();
                    self.remove(graph, &mut degrees, top.hub, &inner);
                    top.first = free;
                    degrees
                }
            };
            let (hub, degree) = self.widest(graph, &degrees);
            if is_wide(degree, graph.vertices.len(), top.k) {
                let inner = self.neighbourhood(graph, &degrees, hub);
                let next = frame(inner, top.k - 1, top.first);
                (top.hub, top.degrees) = (hub, Some(std::mem::take(&mut degrees)));
                stack.push(top);
                stack.push(next);
            } else {
                free = top.end.max(self.greedy(graph, &degrees, top.first));
                coloured = Some(top.graph);
            }
        }
        Some(free)
    }

    fn degrees_of(&mut self, graph: &Graph) -> Table {
        let mut degrees = Table::new();
        for u in &graph.vertices {
            self.counter.tick(VERTICES);
            degrees.insert(*u, graph.neighbours[u].len());
        }
        degrees
    }

    fn widest(&mut self, graph: &Graph, degrees: &Table) -> (u32, usize) {
        let (mut hub, mut greatest) = (0, 0);
        for u in &graph.vertices {
            self.counter.tick(PROBES);
            match degrees.get(u) {
                Some(&degree) if degree > greatest => (hub, greatest) = (*u, degree),
                _ => {}
            }
        }
        (hub, greatest)
    }

    fn neighbourhood(&mut self, graph: &Graph, degrees: &Table, hub: u32) -> Graph {
        self.counter.tick(SUBGRAPHS);
        self.counter.tick(VERTICES);
        let mut members = Set::new();
        for w in &graph.neighbours[&hub] {
            self.counter.tick(PROBES);
            if degrees.contains_key(w) {
                members.insert(*w);
            }
        }
        let mut vertices: Vec<u32> = members.iter().copied().collect();
        vertices.sort();
        let mut neighbours = HashMap::new();
        for u in &vertices {
            self.counter.tick(VERTICES);
            neighbours.insert(*u, self.intersection(&graph.neighbours[u], &members));
        }
        Graph { vertices, neighbours }
    }

    fn intersection(&mut self, a: &Set, b: &Set) -> Set {
        if a.len() > b.len() {
            return self.intersection(b, a);
        }
        let mut common = Set::new();
        for w in a {
            self.counter.tick(PROBES);
            if b.contains(w) {
                common.insert(*w);
            }
        }
        common
    }

    fn remove(&mut self, graph: &Graph, degrees: &mut Table, hub: u32, inner: &Graph) {
        degrees.remove(&hub);
        for u in &inner.vertices {
            degrees.remove(u);
        }
        for u in &inner.vertices {
            self.counter.tick(VERTICES);
            for w in &graph.neighbours[u] {
                self.counter.tick(EDGES);
                self.counter.tick(PROBES);
                if let Some(degree) = degrees.get_mut(w) {
                    *degree -= 1;
                }
            }
        }
    }

    fn two_colour(&mut self, graph: &Graph, first: usize) -> Option<usize> {
        let mut end = first + 1;
        for root in &graph.vertices {
            self.counter.tick(PROBES);
            if self.colours.contains_key(root) {
                continue;
            }
            self.colours.insert(*root, first);
            let mut odd = false;
            let mut queue = vec![*root];
            let mut next = 0;
            while next < queue.len() {
                let u = queue[next];
                next += 1;
                self.counter.tick(VERTICES);
                self.counter.tick(PROBES);
                let other = 2 * first + 1 - self.colours[&u];
                for w in &graph.neighbours[&u] {
                    self.counter.tick(EDGES);
                    self.counter.tick(PROBES);
                    match self.colours.get(w) {
                        None => {
                            self.colours.insert(*w, other);
                            end = first + 2;
                            queue.push(*w);
                        }
                        Some(&colour) => odd |= colour != other,
                    }
                }
            }
            if odd {
                return None;
            }
        }
        Some(end)
    }

    fn greedy(&mut self, graph: &Graph, degrees: &Table, first: usize) -> usize {
        let mut end = first;
        for u in &graph.vertices {
            self.counter.tick(PROBES);
            if !degrees.contains_key(u) {
                continue;
            }
            self.counter.tick(VERTICES);
            let mut taken = HashSet::new();
            for w in &graph.neighbours[u] {
                self.counter.tick(EDGES);
                self.counter.tick(PROBES);
                if let Some(colour) = self.colours.get(w) {
                    taken.insert(*colour);
                }
            }
            let mut colour = first;
            while taken.contains(&colour) {
                colour += 1;
            }
            self.colours.insert(*u, colour);
            end = end.max(colour + 1);
        }
        end
    }
}

fn is_wide(degree: usize, n: usize, k: usize) -> bool {
    let mut product = degree as f64;
    for _ in 0..k - 2 {
        product *= degree as f64 / n as f64;
    }
    product >= 1.0
}

fn bad_line(index: usize, what: &str) -> UserError {
    UserError(format!("line {} of the input: {what}; take a SNAP edge list", index + 1))
}

/// An id of 1 to 10 digits, below 2³².
fn parse_id(text: &[u8]) -> Option<u32> {
    if text.len() > 10 || !text.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(text).ok()?.parse().ok()
}

fn parse_edge(line: &[u8], index: usize) -> Result<(u32, u32), UserError> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let ids: Vec<Option<u32>> = line.split(|&byte| byte == b'\t').map(parse_id).collect();
    match ids[..] {
        [Some(u), Some(v)] if u != v => Ok((u, v)),
        [Some(u), Some(_)] => {
            let what = format!("vertex {u} is joined to itself, and so has no colour");
            Err(bad_line(index, &what))
        }
        _ => Err(bad_line(index, "an edge is two ids from 0 to 4294967295 and a tab between")),
    }
}

struct Colouring {
    graph: Graph,
    recursive: bool,
}

impl Colouring {
    /// Panics if the colouring is not proper.
    fn verify(&self, colours: &Table, end: usize) {
        for u in &self.graph.vertices {
            let colour = colours[u];
            assert!(colour < end, "vertex {u} has colour {colour} of only {end}");
            for w in &self.graph.neighbours[u] {
                assert_ne!(colours[w], colour, "vertices {u} and {w} are neighbours of one colour");
            }
        }
    }
}

impl Benchmark for Colouring {
    const NAME: &'static str = "colouring";
    const TIER: &'static str = "plain";
    const COUNTERS: &'static [&'static str] =
        &["attempts", "subgraphs", "vertices", "edges", "probes"];

    type Work = ();
    type Answer = (Table, usize);

    fn load(options: &Options) -> Result<Self, Failure> {
        let mut text = read(options.text("input")?)?;
        if text.last() == Some(&b'\n') {
            text.pop();
        }
        let mut graph = Graph::default();
        for (index, line) in text.split(|&byte| byte == b'\n').enumerate() {
            if !line.starts_with(b"#") {
                let (u, v) = parse_edge(line, index)?;
                graph.neighbours.entry(u).or_default().insert(v);
                graph.neighbours.entry(v).or_default().insert(u);
            }
        }
        graph.vertices = graph.neighbours.keys().copied().collect();
        graph.vertices.sort();
        if graph.vertices.is_empty() {
            return Err(UserError("the input has no edge; make it with generate.py".into()).into());
        }
        Ok(Colouring { graph, recursive: options.text("form")? == "recursive" })
    }

    fn prepare(&self) {}

    fn run<const COUNT: bool>(
        &self,
        (): (),
        counter: &mut Counter<COUNT>,
    ) -> Result<(Table, usize), Failure> {
        let mut k = 2;
        loop {
            counter.tick(ATTEMPTS);
            let mut attempt = Attempt { colours: Table::new(), counter };
            let end = if self.recursive {
                attempt.recursive(&self.graph, k, 0)
            } else {
                attempt.iterative(&self.graph, k)
            };
            if let Some(end) = end {
                return Ok((attempt.colours, end));
            }
            k += 1;
        }
    }

    fn digest(&self, (colours, end): &(Table, usize)) -> u64 {
        self.verify(colours, *end);
        let mut hash = FNV1A;
        for u in &self.graph.vertices {
            hash = fnv1a(hash, format!("{}\n", colours[u]).as_bytes());
        }
        fnv1a(hash, format!("{end}\n").as_bytes())
    }
}

fn main() -> ExitCode {
    runfair_harness::main::<Colouring>()
}
