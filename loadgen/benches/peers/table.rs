//! Tables for people: text for a terminal, or Markdown.

/// A table; the first and the last column hold words and are left-aligned, figures right.
pub struct Table {
    title: String,
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// An empty table.
    pub fn new(title: impl Into<String>, header: &[&str]) -> Self {
        Self {
            title: title.into(),
            header: header.iter().map(ToString::to_string).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row, with as many cells as the header has.
    pub fn push(&mut self, row: Vec<String>) {
        debug_assert_eq!(row.len(), self.header.len());
        self.rows.push(row);
    }

    fn is_words(&self, column: usize) -> bool {
        column == 0 || column + 1 == self.header.len()
    }

    /// As text in columns.
    pub fn text(&self) -> String {
        let widths: Vec<usize> = (0..self.header.len())
            .map(|column| {
                let lines = self.rows.iter().chain([&self.header]);
                lines.map(|line| width(&line[column])).max().unwrap_or(0)
            })
            .collect();
        let line = |cells: &[String]| {
            let padded: Vec<String> = (0..)
                .zip(cells.iter().zip(&widths))
                .map(|(column, (cell, &wide))| {
                    let space = " ".repeat(wide - width(cell));
                    if self.is_words(column) {
                        format!("{cell}{space}")
                    } else {
                        format!("{space}{cell}")
                    }
                })
                .collect();
            format!("{}\n", padded.join("  ").trim_end())
        };
        let mut text = format!("\n{}\n{}", self.title, line(&self.header));
        text.extend(self.rows.iter().map(|row| line(row)));
        text
    }

    /// As a Markdown table under its title.
    pub fn markdown(&self) -> String {
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let rule: Vec<String> = (0..self.header.len())
            .map(|column| {
                if self.is_words(column) {
                    "---".into()
                } else {
                    "---:".into()
                }
            })
            .collect();
        let mut text = format!(
            "\n**{}**\n\n{}{}",
            self.title,
            line(&self.header),
            line(&rule)
        );
        text.extend(self.rows.iter().map(|row| {
            line(
                &row.iter()
                    .map(|cell| cell.replace('|', "\\|"))
                    .collect::<Vec<_>>(),
            )
        }));
        text
    }
}

fn width(cell: &str) -> usize {
    cell.chars().count()
}

/// A figure with three significant digits, or a dash where there is none.
pub fn figure(value: Option<f64>) -> String {
    match value {
        None => "–".into(),
        Some(value) if value.abs() >= 100.0 => format!("{value:.0}"),
        Some(value) if value.abs() >= 10.0 => format!("{value:.1}"),
        Some(value) => format!("{value:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_and_markdown_is_a_table() {
        let mut table = Table::new("Title", &["tool", "µs", "remark"]);
        table.push(vec!["a|b".into(), figure(Some(1.234)), "x".into()]);
        table.push(vec!["longer".into(), figure(None), String::new()]);
        assert_eq!(
            table.text(),
            "\nTitle\ntool      µs  remark\na|b     1.23  x\nlonger     –\n"
        );
        assert!(table
            .markdown()
            .contains("| --- | ---: | --- |\n| a\\|b | 1.23 | x |\n"));
    }

    #[test]
    fn figures_have_three_digits() {
        let figures = [1234.5, 123.4, 12.34, 1.234, -0.5].map(|value| figure(Some(value)));
        assert_eq!(figures, ["1234", "123", "12.3", "1.23", "-0.50"]);
    }
}
