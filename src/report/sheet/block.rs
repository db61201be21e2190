use crate::report::plot::Plot;

/// A report as its reader meets it: sections of a few kinds of blocks, in no format yet. Text, Markdown and
/// HTML are three ways to write the same sheet.
#[derive(Clone, Debug)]
pub struct Sheet {
    /// What was reported on.
    pub title: String,
    /// In the order of reading.
    pub sections: Vec<Section>,
}

/// A heading and what stands under it.
#[derive(Clone, Debug)]
pub struct Section {
    /// 1 below the title, 2 below that.
    pub level: u8,
    /// The heading.
    pub heading: String,
    /// In the order of reading.
    pub blocks: Vec<Block>,
}

/// What a section is made of.
#[derive(Clone, Debug)]
pub enum Block {
    /// The sentence that a reader takes away.
    Lead(String),
    /// A sentence or a few.
    Paragraph(String),
    /// Sentences that stand beside each other.
    List(Vec<String>),
    /// Rows of cells.
    Table(Table),
    /// A drawing; a format without drawings leaves it out.
    Figure(Plot),
}

/// Rows of cells under a head.
#[derive(Clone, Debug)]
pub struct Table {
    /// What it shows.
    pub caption: String,
    /// The columns.
    pub columns: Vec<Column>,
    /// As many cells as there are columns, in each.
    pub rows: Vec<Vec<String>>,
}

/// The head of a column.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// What stands in it, with the unit.
    pub head: &'static str,
    /// Whether it holds figures, which line up at the right.
    pub figures: bool,
}

/// A column of words.
pub(super) const fn words(head: &'static str) -> Column {
    Column {
        head,
        figures: false,
    }
}

/// A column of figures.
pub(super) const fn figures(head: &'static str) -> Column {
    Column {
        head,
        figures: true,
    }
}

impl Section {
    pub(super) fn new(level: u8, heading: impl Into<String>) -> Self {
        Self {
            level,
            heading: heading.into(),
            blocks: Vec::new(),
        }
    }

    pub(super) fn lead(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Lead(text.into()));
    }

    pub(super) fn paragraph(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Paragraph(text.into()));
    }

    /// Adds a list unless it is empty.
    pub(super) fn list(&mut self, items: Vec<String>) {
        if !items.is_empty() {
            self.blocks.push(Block::List(items));
        }
    }

    /// Adds a table unless it has no rows.
    pub(super) fn table(
        &mut self,
        caption: impl Into<String>,
        columns: &[Column],
        rows: Vec<Vec<String>>,
    ) {
        if !rows.is_empty() {
            self.blocks.push(Block::Table(Table {
                caption: caption.into(),
                columns: columns.to_vec(),
                rows,
            }));
        }
    }
}
