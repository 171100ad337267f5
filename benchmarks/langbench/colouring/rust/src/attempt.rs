//! One attempt to colour a graph with a given k: both forms, and the steps they are made of.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use runfair_harness::Counter;

use crate::graph::{Graph, Vertex};

pub const SUBGRAPHS: usize = 1;
pub const VERTICES: usize = 2;
pub const EDGES: usize = 3;
pub const PROBES: usize = 4;

pub type Colour = u32;

/// Of the vertices that are left.
type Degrees = HashMap<Vertex, usize>;

pub struct Attempt<'c, const COUNT: bool> {
    pub colours: HashMap<Vertex, Colour>,
    counter: &'c mut Counter<COUNT>,
}

/// A call of `recursive`, with its arguments and variables.
struct Frame {
    graph: Rc<Graph>,
    k: u32,
    first: Colour,
    end: Colour,
    round: Option<Round>,
}

/// What is left of a frame's graph, and the neighbourhood that the next frame colours.
struct Round {
    degrees: Degrees,
    hub: Vertex,
    inner: Rc<Graph>,
}

impl<'c, const COUNT: bool> Attempt<'c, COUNT> {
    pub fn new(counter: &'c mut Counter<COUNT>) -> Self {
        Self { colours: HashMap::new(), counter }
    }

    /// Colours the graph from `first` on; the first colour then free, none where k is too few.
    pub fn recursive(&mut self, graph: &Graph, k: u32, mut first: Colour) -> Option<Colour> {
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
            first = free; // the hub has no neighbour left: its colour serves again
        }
    }

    /// Does what `recursive` does, from a stack of its own.
    pub fn iterative(&mut self, graph: &Rc<Graph>, k: u32) -> Option<Colour> {
        let mut stack = vec![Frame::new(graph, k, 0)];
        let mut free = 0;
        while let Some(frame) = stack.last_mut() {
            if frame.k == 2 {
                free = self.two_colour(&frame.graph, frame.first)?;
                stack.pop();
                continue;
            }
            let degrees = match frame.round.take() {
                None => self.degrees_of(&frame.graph),
                Some(Round { mut degrees, hub, inner }) => {
                    self.colours.insert(hub, free);
                    frame.end = free + 1;
                    self.remove(&frame.graph, &mut degrees, hub, &inner);
                    frame.first = free;
                    degrees
                }
            };
            let (hub, degree) = self.widest(&frame.graph, &degrees);
            if is_wide(degree, frame.graph.vertices.len(), frame.k) {
                let inner = Rc::new(self.neighbourhood(&frame.graph, &degrees, hub));
                let above = Frame::new(&inner, frame.k - 1, frame.first);
                frame.round = Some(Round { degrees, hub, inner });
                stack.push(above);
            } else {
                free = frame.end.max(self.greedy(&frame.graph, &degrees, frame.first));
                stack.pop();
            }
        }
        Some(free)
    }

    fn degrees_of(&mut self, graph: &Graph) -> Degrees {
        let mut degrees = Degrees::new();
        for &u in &graph.vertices {
            self.counter.tick(VERTICES);
            degrees.insert(u, graph.neighbours[&u].len());
        }
        degrees
    }

    /// The least of the vertices of the greatest degree.
    fn widest(&mut self, graph: &Graph, degrees: &Degrees) -> (Vertex, usize) {
        let (mut hub, mut greatest) = (0, 0);
        for &u in &graph.vertices {
            self.counter.tick(PROBES);
            if let Some(&degree) = degrees.get(&u) {
                if degree > greatest {
                    (hub, greatest) = (u, degree);
                }
            }
        }
        (hub, greatest)
    }

    /// The graph on N(hub), the hub itself not in it.
    fn neighbourhood(&mut self, graph: &Graph, degrees: &Degrees, hub: Vertex) -> Graph {
        self.counter.tick(SUBGRAPHS);
        self.counter.tick(VERTICES);
        let mut members = HashSet::new();
        for w in &graph.neighbours[&hub] {
            self.counter.tick(PROBES);
            if degrees.contains_key(w) {
                members.insert(*w);
            }
        }
        let mut vertices = Vec::from_iter(members.iter().copied());
        vertices.sort_unstable();
        let mut neighbours = HashMap::new();
        for &u in &vertices {
            self.counter.tick(VERTICES);
            neighbours.insert(u, self.intersection(&graph.neighbours[&u], &members));
        }
        Graph { vertices, neighbours }
    }

    fn intersection(&mut self, a: &HashSet<Vertex>, b: &HashSet<Vertex>) -> HashSet<Vertex> {
        if a.len() > b.len() {
            return self.intersection(b, a);
        }
        let mut common = HashSet::new();
        for w in a {
            self.counter.tick(PROBES);
            if b.contains(w) {
                common.insert(*w);
            }
        }
        common
    }

    fn remove(&mut self, graph: &Graph, degrees: &mut Degrees, hub: Vertex, inner: &Graph) {
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

    fn two_colour(&mut self, graph: &Graph, first: Colour) -> Option<Colour> {
        let mut end = first + 1;
        for &root in &graph.vertices {
            self.counter.tick(PROBES);
            match self.colours.entry(root) {
                Entry::Occupied(_) => continue,
                Entry::Vacant(colour) => colour.insert(first),
            };
            let mut odd = false;
            let mut queue = vec![root];
            let mut at = 0;
            while let Some(&u) = queue.get(at) {
                self.counter.tick(VERTICES);
                self.counter.tick(PROBES);
                at += 1;
                let other = 2 * first + 1 - self.colours[&u];
                for &w in &graph.neighbours[&u] {
                    self.counter.tick(EDGES);
                    self.counter.tick(PROBES);
                    match self.colours.entry(w) {
                        Entry::Vacant(colour) => {
                            colour.insert(other);
                            end = first + 2;
                            queue.push(w);
                        }
                        Entry::Occupied(colour) => odd |= *colour.get() != other,
                    }
                }
            }
            if odd {
                return None;
            }
        }
        Some(end)
    }

    /// Gives one vertex after the other the least colour from `first` on that no neighbour has.
    fn greedy(&mut self, graph: &Graph, degrees: &Degrees, first: Colour) -> Colour {
        let mut end = first;
        let mut taken = HashSet::new();
        for u in &graph.vertices {
            self.counter.tick(PROBES);
            if !degrees.contains_key(u) {
                continue;
            }
            self.counter.tick(VERTICES);
            taken.clear();
            for w in &graph.neighbours[u] {
                self.counter.tick(EDGES);
                self.counter.tick(PROBES);
                if let Some(&colour) = self.colours.get(w) {
                    taken.insert(colour);
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

impl Frame {
    fn new(graph: &Rc<Graph>, k: u32, first: Colour) -> Self {
        Self { graph: Rc::clone(graph), k, first, end: first, round: None }
    }
}

/// Whether degree ≥ n ^ (1 − 1 / (k − 1)).
fn is_wide(degree: usize, n: usize, k: u32) -> bool {
    let mut product = degree as f64;
    for _ in 2..k {
        product *= degree as f64 / n as f64;
    }
    product >= 1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_degree_is_wide_from_the_root_on() {
        // ⌈100^(1/2)⌉ and ⌈100^(2/3)⌉
        assert_eq!([9, 10].map(|degree| is_wide(degree, 100, 3)), [false, true]);
        assert_eq!([21, 22].map(|degree| is_wide(degree, 100, 4)), [false, true]);
        assert!(!is_wide(0, 1, 3));
    }
}
