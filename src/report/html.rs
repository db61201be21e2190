//! A sheet as one HTML file: nothing is loaded from elsewhere, no script runs, and it prints on A4.

use maud::{DOCTYPE, Markup, PreEscaped, html as markup};

use super::plot::svg;
use super::sheet::{Block, Section, Sheet, Table};

/// Part of the page itself, so that the file can be attached and archived alone.
const STYLE: &str = include_str!("sheet.css");

/// What stands after the last sheet of a page.
pub const HTML_END: &str = "</body></html>\n";

/// The beginning of a page, up to its first sheet. A page is written in pieces, so that one with a thousand
/// sheets never lies in memory.
#[must_use]
pub fn html_begin(title: &str) -> String {
    let head = markup! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            title { (title) }
            style { (PreEscaped(STYLE)) }
        }
    };
    format!(
        "{}<html lang=\"en\">{}<body>\n",
        DOCTYPE.into_string(),
        head.into_string()
    )
}

/// One sheet of a page.
#[must_use]
pub fn html_article(sheet: &Sheet) -> String {
    let article = markup! {
        article {
            h1 { (sheet.title) }
            @for section in &sheet.sections {
                (of_section(section))
            }
        }
    };
    article.into_string() + "\n"
}

fn of_section(section: &Section) -> Markup {
    markup! {
        section {
            @if section.level == 1 {
                h2 { (section.heading) }
            } @else {
                h3 { (section.heading) }
            }
            @for block in &section.blocks {
                @match block {
                    Block::Lead(sentence) => p class="lead" { (sentence) },
                    Block::Paragraph(sentence) => p { (sentence) },
                    Block::List(items) => ul { @for item in items { li { (item) } } },
                    Block::Table(table) => (of_table(table)),
                    Block::Figure(plot) => (svg(plot)),
                }
            }
        }
    }
}

fn of_table(table: &Table) -> Markup {
    let class = |figures: bool| figures.then_some("figures");
    markup! {
        table {
            @if !table.caption.is_empty() {
                caption { (table.caption) }
            }
            thead {
                tr {
                    @for column in &table.columns {
                        th scope="col" class=[class(column.figures)] { (column.head) }
                    }
                }
            }
            tbody {
                @for row in &table.rows {
                    tr {
                        @for (cell, column) in row.iter().zip(&table.columns) {
                            td class=[class(column.figures)] { (cell) }
                        }
                    }
                }
            }
        }
    }
}
