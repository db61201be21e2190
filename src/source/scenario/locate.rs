//! On which line of a RON text a field stands. The parser forgets it once the value has been read, and a
//! value can be wrong although it can be read.

use std::iter::Peekable;
use std::str::CharIndices;

/// The line, from 1, on which the value at `path` begins, such as `talkers[0].silent_s[1].0`. Where the
/// path leads to something that is not written out, the line of the innermost value that is.
pub(super) fn line_of(text: &str, path: &str) -> Option<usize> {
    let wanted: Vec<&str> = path
        .split(['.', '[', ']'])
        .filter(|segment| !segment.is_empty())
        .collect();
    let mut best: Option<(usize, usize)> = None;
    Walk::new(text).value(&mut Vec::new(), &mut |at, line| {
        let along = at.iter().zip(&wanted).all(|(own, wanted)| own == wanted);
        if along && at.len() <= wanted.len() && best.is_none_or(|(depth, _)| at.len() > depth) {
            best = Some((at.len(), line));
        }
    });
    best.filter(|(depth, _)| *depth > 0).map(|(_, line)| line)
}

/// How deep a text may nest; the parser has refused deeper ones before.
const DEEPEST: usize = 64;

struct Walk<'a> {
    text: &'a str,
    chars: Peekable<CharIndices<'a>>,
    line: usize,
}

impl<'a> Walk<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            chars: text.char_indices().peekable(),
            line: 1,
        }
    }

    fn next(&mut self) -> Option<char> {
        let (_, c) = self.chars.next()?;
        self.line += usize::from(c == '\n');
        Some(c)
    }

    fn rest(&mut self) -> &'a str {
        let at = self.chars.peek().map_or(self.text.len(), |(at, _)| *at);
        self.text.get(at..).unwrap_or_default()
    }

    fn skip(&mut self, characters: usize) {
        for _ in 0..characters {
            self.next();
        }
    }

    fn space(&mut self) {
        loop {
            let rest = self.rest();
            if rest.starts_with("//") {
                while !matches!(self.next(), None | Some('\n')) {}
            } else if rest.starts_with("/*") {
                let end = rest.find("*/").map_or(rest.len(), |end| end + 2);
                self.skip(rest.get(..end).map_or(0, |skipped| skipped.chars().count()));
            } else if rest.starts_with(char::is_whitespace) {
                self.next();
            } else {
                return;
            }
        }
    }

    /// A string's content, or any other word.
    fn word(&mut self) -> String {
        let mut word = String::new();
        if self.rest().starts_with('"') {
            self.next();
            while let Some(c) = self.next() {
                match c {
                    '"' => break,
                    '\\' => {
                        self.next();
                    }
                    c => word.push(c),
                }
            }
            return word;
        }
        while let Some((_, c)) = self.chars.peek().copied() {
            if c.is_whitespace() || "()[]{},:\"".contains(c) {
                break;
            }
            word.push(c);
            self.next();
        }
        word
    }

    /// One value, with all that is in it; `told` hears of each path and the line on which it begins.
    fn value(&mut self, path: &mut Vec<String>, told: &mut dyn FnMut(&[String], usize)) {
        self.space();
        told(path, self.line);
        if path.len() > DEEPEST {
            return;
        }
        if !self.rest().starts_with(['(', '[', '{']) {
            self.word();
            self.space();
        }
        if !self.rest().starts_with(['(', '[', '{']) {
            return;
        }
        self.next();
        let mut index = 0_usize;
        loop {
            self.space();
            let Some((_, c)) = self.chars.peek().copied() else {
                return;
            };
            match c {
                ')' | ']' | '}' => {
                    self.next();
                    return;
                }
                ',' => {
                    self.next();
                }
                _ => {
                    self.element(index, path, told);
                    index += 1;
                }
            }
        }
    }

    /// `name: value`, `"key": value`, or a value that goes by its place.
    fn element(
        &mut self,
        index: usize,
        path: &mut Vec<String>,
        told: &mut dyn FnMut(&[String], usize),
    ) {
        let before = (self.chars.clone(), self.line);
        let word = self.word();
        self.space();
        if self.rest().starts_with(':') {
            self.next();
            path.push(word);
        } else {
            (self.chars, self.line) = before;
            path.push(index.to_string());
        }
        let at = self.rest().len();
        self.value(path, told);
        if self.rest().len() == at {
            // Something that no value begins with: the parser would have refused it.
            self.next();
        }
        path.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"// talkers: [
Scenario(
    title: "a (b: [c",
    /* two
       lines */ vehicle: (
        parameters: { "A": Integer(1),
            "B": Real(2.0) },
    ),
    talkers: [
        (system: 1, silent_s: [(1.0, 2.0),
            (3.0, 4.0)]),
        (system: 2),
    ],
)"#;

    #[test]
    fn every_kind_of_place_is_found() {
        for (path, line) in [
            ("title", 3),
            ("vehicle", 5),
            ("vehicle.parameters.A", 6),
            ("vehicle.parameters.B", 7),
            ("talkers", 9),
            ("talkers[0].system", 10),
            ("talkers[0].silent_s[1].1", 11),
            ("talkers[1].system", 12),
        ] {
            assert_eq!(line_of(TEXT, path), Some(line), "{path}");
        }
    }

    #[test]
    fn what_is_not_written_out_is_found_where_it_would_stand() {
        assert_eq!(line_of(TEXT, "talkers[1].period_s"), Some(12));
        assert_eq!(line_of(TEXT, "link.up.loss"), None);
    }

    #[test]
    fn no_text_holds_it_up() {
        for text in ["", "(", "((((", "a:", "\"", "[)}", "x(,,,:", "(:::)", "\\"] {
            line_of(text, "a.b");
        }
        let deep = "(".repeat(100_000);
        line_of(&deep, "a");
    }
}
