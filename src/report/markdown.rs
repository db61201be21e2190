//! A sheet in Markdown: the tables of GitHub's flavour, the rest plain.

use super::sheet::{Block, Sheet, Table};

/// The sheet in Markdown. Drawings are left out.
#[must_use]
pub fn markdown(sheet: &Sheet) -> String {
    let mut blocks = vec![format!("# {}", escaped(&sheet.title))];
    for section in &sheet.sections {
        let depth = "#".repeat(usize::from(section.level) + 1);
        blocks.push(format!("{depth} {}", escaped(&section.heading)));
        for block in &section.blocks {
            match block {
                Block::Lead(sentence) => blocks.push(format!("**{}**", escaped(sentence))),
                Block::Paragraph(sentence) => blocks.push(escaped(sentence)),
                Block::List(items) => {
                    let items: Vec<String> = items
                        .iter()
                        .map(|item| format!("- {}", escaped(item)))
                        .collect();
                    blocks.push(items.join("\n"));
                }
                Block::Table(table) => blocks.extend(of_table(table)),
                Block::Figure(_) => {}
            }
        }
    }
    blocks.push(String::new());
    blocks.join("\n\n").trim_end().to_owned() + "\n"
}

fn of_table(table: &Table) -> impl Iterator<Item = String> {
    let row = |cells: &mut dyn Iterator<Item = String>| {
        format!("| {} |", cells.collect::<Vec<_>>().join(" | "))
    };
    let mut lines = vec![row(&mut table.columns.iter().map(|c| escaped(c.head)))];
    lines.push(row(&mut table
        .columns
        .iter()
        .map(|c| if c.figures { "---:" } else { "---" }.to_owned())));
    let rows = table.rows.iter();
    lines.extend(rows.map(|cells| row(&mut cells.iter().map(|cell| escaped(cell)))));
    let caption = (!table.caption.is_empty()).then(|| escaped(&table.caption));
    caption.into_iter().chain([lines.join("\n")])
}

/// What a text may hold that Markdown would take for markup: names of files and parameters, and whatever a
/// vehicle sends. A line break would end a row.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#' | '~' | '&' => {
                escaped.push('\\');
                escaped.push(c);
            }
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_vehicle_sends_is_no_markup() {
        assert_eq!(escaped("a|b_c\n<i>"), "a\\|b\\_c \\<i\\>");
    }
}
