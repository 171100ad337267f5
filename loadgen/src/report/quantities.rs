//! Percentiles of a run's quantities in rows and columns, each with what it is worth: a
//! star marks a flagged figure, and where there is no honest number stands a word.

use super::result::RunResult;
use super::screen::{Ink, Screen};
use crate::judgement::censored::Bracket;
use crate::judgement::figures::{Figures, Interval, MAX};
use crate::judgement::verdict::{State, Verdict};
use runfair_measuring::statistics::percentile::Percentile;

/// How the judgement begins the reason where no interval can be had.
const TOO_FEW: &str = "too few requests";
/// What marks a flagged figure.
pub(super) const STAR: char = '*';
/// The four columns with the intervals beside the first need this many characters.
const WIDE_COLUMNS: usize = 78;

/// What a cell says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Content {
    /// A number with its interval, where it has one (a maximum has none).
    Value {
        value_ns: u64,
        interval: Option<Interval>,
    },
    /// Between what it lies, because requests failed.
    Bracket(Bracket),
    /// The verdict takes it away.
    Void,
    /// The judgement gave a reason not to say it.
    Withheld,
    /// No interval can be had of so few requests, so there is no percentile either.
    TooFew,
    /// Nothing was recorded.
    Nothing,
}

impl Content {
    fn of(figures: &Figures, name: &str) -> Self {
        if figures.count == 0 {
            return Self::Nothing;
        }
        match figures.withheld.get(name) {
            Some(reason) if reason.starts_with(TOO_FEW) => return Self::TooFew,
            Some(_) => return Self::Withheld,
            None => {}
        }
        if let Some(bracket) = figures.brackets.get(name) {
            return Self::Bracket(*bracket);
        }
        let interval = figures.intervals.get(name).copied();
        match figures.value(name) {
            // A percentile is worth nothing without its interval.
            Some(value_ns) if interval.is_some() || name == MAX => {
                Self::Value { value_ns, interval }
            }
            _ if name == MAX => Self::Nothing,
            _ => Self::TooFew,
        }
    }
}

/// One quantity and what the verdict says of it.
#[derive(Clone, Copy)]
struct Quantity<'a> {
    title: &'static str,
    /// Its name in JSON and in findings.
    path: &'static str,
    figures: &'a Figures,
    verdict: &'a Verdict,
}

impl Quantity<'_> {
    fn cell(&self, name: &str) -> Cell {
        let content = Content::of(self.figures, name);
        let state = self.verdict.of_figure(&format!("{}.{name}", self.path));
        let is_number = matches!(content, Content::Value { .. } | Content::Bracket(_));
        match state {
            State::Void if is_number => Cell {
                content: Content::Void,
                starred: false,
            },
            _ => Cell {
                content,
                starred: is_number && state == State::Flagged,
            },
        }
    }
}

/// The rows of a table: the names of the figures, and their labels.
fn rows() -> impl Iterator<Item = (&'static str, &'static str)> {
    let percentiles = Percentile::ALL.into_iter();
    let percentiles = percentiles.map(|percentile| (percentile.name(), percentile.label()));
    percentiles.chain([(MAX, MAX)])
}

/// What stands at a row and a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cell {
    content: Content,
    starred: bool,
}

impl Cell {
    fn star(self) -> char {
        if self.starred {
            STAR
        } else {
            ' '
        }
    }

    /// The cell, right-aligned in `columns`, the last of which is the star's.
    fn text(self, screen: &Screen, columns: usize) -> String {
        let text = match self.content {
            Content::Value { value_ns, .. } => screen.time(value_ns),
            // One number has room here: the end that a service must be held to.
            Content::Bracket(bracket) => upper_end(bracket, screen),
            Content::Void => "void".to_owned(),
            Content::Withheld => "withheld".to_owned(),
            Content::TooFew => "too few".to_owned(),
            Content::Nothing => "-".to_owned(),
        };
        let columns = columns - 1;
        format!("{text:>columns$}{}", self.star())
    }

    /// The cell and its interval, at least `columns` wide.
    fn with_interval(self, screen: &Screen, columns: usize) -> String {
        let value = self.text(screen, 10);
        let text = match self.content {
            Content::Value {
                interval: Some(interval),
                ..
            } => {
                let high = interval
                    .high_ns
                    .map_or_else(|| "no bound".to_owned(), |ns| screen.time(ns));
                format!("{value} [{}, {high}]", screen.time(interval.low_ns))
            }
            Content::Bracket(bracket) if bracket.low_ns < bracket.high_at_least_ns => {
                format!("{value} [from {}]", screen.time(bracket.low_ns))
            }
            Content::TooFew => format!(" {TOO_FEW}"),
            _ => value,
        };
        format!("{text:<columns$}")
    }
}

/// The upper end of a bracket: `102 ms`, or `≥ 5.00 s` where nothing bounds it.
fn upper_end(bracket: Bracket, screen: &Screen) -> String {
    let time = screen.time(bracket.high_at_least_ns);
    match (bracket.high_ns, screen.unicode) {
        (Some(_), true) => format!("≤ {time}"),
        (Some(_), false) => format!("<={time}"),
        (None, true) => format!("≥ {time}"),
        (None, false) => format!(">={time}"),
    }
}

/// The four quantities, with the intervals of the latency: of what is judged, which is
/// the whole run, or where a warm-up was marked what followed it.
pub(super) fn of_run(result: &RunResult, screen: &Screen) -> Vec<String> {
    let (title, [latency, queue_wait, send_lag, service_time]) = match result.phases.as_slice() {
        [_, measured, ..] => (
            "measured",
            [
                &measured.latency_ns,
                &measured.queue_wait_ns,
                &measured.send_lag_ns,
                &measured.service_time_ns,
            ],
        ),
        _ => (
            "",
            [
                &result.latency_ns,
                &result.queue_wait_ns,
                &result.send_lag_ns,
                &result.service_time_ns,
            ],
        ),
    };
    let quantity = |title, path, figures| Quantity {
        title,
        path,
        figures,
        verdict: &result.verdict,
    };
    let quantities = [
        quantity("latency", "latency_ns", latency),
        quantity("queue wait", "queue_wait_ns", queue_wait),
        quantity("send lag", "send_lag_ns", send_lag),
        quantity("service time", "service_time_ns", service_time),
    ];
    if screen.columns < WIDE_COLUMNS {
        stacked(quantities, screen)
    } else {
        side_by_side(title, quantities, screen)
    }
}

fn side_by_side(title: &str, quantities: [Quantity; 4], screen: &Screen) -> Vec<String> {
    let [latency, queue_wait, send_lag, service_time] = quantities;
    let heading = format!(
        "{title:8}{:>9}  {:24}{:>10}{:>12}{:>13}",
        latency.title, "[95% interval]", queue_wait.title, send_lag.title, service_time.title
    );
    let mut lines = vec![screen.paint(Ink::Bold, &heading)];
    for (name, label) in rows() {
        let line = format!(
            "{:8}{}{}{}{}",
            label,
            latency.cell(name).with_interval(screen, 35),
            queue_wait.cell(name).text(screen, 11),
            send_lag.cell(name).text(screen, 12),
            service_time.cell(name).text(screen, 13)
        );
        lines.push(line.trim_end().to_owned());
    }
    lines
}

/// One quantity under another, for narrow screens.
fn stacked(quantities: [Quantity; 4], screen: &Screen) -> Vec<String> {
    let mut lines = Vec::new();
    for quantity in quantities {
        lines.push(screen.paint(Ink::Bold, quantity.title));
        for (name, label) in rows() {
            let cell = quantity.cell(name);
            let text = if quantity.path == "latency_ns" {
                cell.with_interval(screen, 0)
            } else {
                cell.text(screen, 10)
            };
            lines.push(format!("  {label:7}{text}").trim_end().to_owned());
        }
    }
    lines
}

/// The latency of parts of the run, one row each.
pub(super) fn of_parts(
    parts: &[(&str, &Figures)],
    verdict: &Verdict,
    screen: &Screen,
) -> Vec<String> {
    let mut heading = format!("{:10}", "latency");
    for (_, label) in rows() {
        heading += &format!("{label:>9} ");
    }
    let mut lines = vec![screen.paint(Ink::Bold, heading.trim_end())];
    for (name, figures) in parts {
        let latency = Quantity {
            title: "latency",
            path: "latency_ns",
            figures,
            verdict,
        };
        let mut line = format!("{name:10}");
        for (name, _) in rows() {
            line += &latency.cell(name).text(screen, 10);
        }
        lines.push(line.trim_end().to_owned());
    }
    lines
}
