//! A sheet for a terminal.

use super::sheet::{Block, Sheet, Table};

/// The sheet as text. Drawings are left out.
#[must_use]
pub fn text(sheet: &Sheet) -> String {
    let mut lines = vec![sheet.title.clone()];
    for section in &sheet.sections {
        let heading = &section.heading;
        lines.push(String::new());
        lines.push(match section.level {
            1 => heading.to_uppercase(),
            _ => format!("-- {heading}"),
        });
        for block in &section.blocks {
            match block {
                Block::Lead(sentence) | Block::Paragraph(sentence) => {
                    lines.push(format!("  {sentence}"));
                }
                Block::List(items) => {
                    lines.extend(items.iter().map(|item| format!("    - {item}")));
                }
                Block::Table(table) => write_table(&mut lines, table),
                Block::Figure(_) => {}
            }
        }
    }
    lines.push(String::new());
    lines.join("\n")
}

fn write_table(lines: &mut Vec<String>, table: &Table) {
    if !table.caption.is_empty() {
        lines.push(format!("  {}", table.caption));
    }
    let heads: Vec<String> = table.columns.iter().map(|c| c.head.to_owned()).collect();
    let shown: Vec<&Vec<String>> = std::iter::once(&heads).chain(&table.rows).collect();
    let widths: Vec<usize> = (0..heads.len())
        .map(|column| {
            let cells = shown.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        })
        .collect();
    for row in shown {
        let cells: Vec<String> = row
            .iter()
            .zip(&widths)
            .zip(&table.columns)
            .map(|((cell, &width), column)| {
                if column.figures {
                    format!("{cell:>width$}")
                } else {
                    format!("{cell:<width$}")
                }
            })
            .collect();
        lines.push(format!("    {}", cells.join("  ")).trim_end().to_owned());
    }
}
