use std::collections::HashMap;

/// Formats refer to each other no deeper than this in any version; a damaged one might in a circle.
const DEEPEST: u8 = 4;
/// Longer arrays are taken for damage: nested into each other they would keep the decoder busy for
/// hours.
const LONGEST_ARRAY: u16 = 1_024;

/// The formats of a log as text, to know how long a row is.
#[derive(Default)]
pub(super) struct Formats<'b> {
    /// The fields of each, by name.
    fields: HashMap<&'b str, &'b str>,
}

impl<'b> Formats<'b> {
    /// Takes the text of a format record: `name:type field;type field;`. Returns the name.
    pub(super) fn add(&mut self, payload: &'b [u8]) -> Option<&'b str> {
        let (name, fields) = std::str::from_utf8(payload).ok()?.split_once(':')?;
        self.fields.entry(name).or_insert(fields);
        Some(name)
    }

    /// The bytes of a row of `name`, without the message id. `None` when a part of it is not known.
    pub(super) fn length(&self, name: &str) -> Option<usize> {
        self.length_at(name, 0)
    }

    fn length_at(&self, name: &str, depth: u8) -> Option<usize> {
        if depth > DEEPEST {
            return None;
        }
        let fields: Vec<(&str, &str)> = self
            .fields
            .get(name)?
            .split(';')
            .filter(|field| !field.is_empty())
            .map(|field| field.split_once(' '))
            .collect::<Option<_>>()?;
        let mut length = 0_usize;
        for (i, (kind, field)) in fields.iter().enumerate() {
            // The logger leaves out the padding at the end of a row, but not of what is nested in it.
            if depth == 0 && i + 1 == fields.len() && field.starts_with("_padding") {
                break;
            }
            let (kind, count) = array(kind)?;
            let width = match width(kind) {
                Some(width) => width,
                None => self.length_at(kind, depth + 1)?,
            };
            length += width * usize::from(count);
        }
        // A record's length has 16 bits.
        u16::try_from(length).is_ok().then_some(length)
    }
}

/// Whether text declares a value as keys of parameters and infos do: `float NAME`, `char[40] name`.
pub(super) fn is_declaration(text: &[u8]) -> bool {
    std::str::from_utf8(text)
        .ok()
        .and_then(|text| text.split_once(' '))
        .is_some_and(|(kind, name)| {
            // An info's value may be longer than any array of a row.
            let plain = kind.split_once('[').map_or(kind, |(plain, _)| plain);
            width(plain).is_some() && name.bytes().all(|b| b.is_ascii_graphic())
        })
}

/// A type and how many of it: `float[3]` is three.
fn array(kind: &str) -> Option<(&str, u16)> {
    let Some((kind, count)) = kind.split_once('[') else {
        return Some((kind, 1));
    };
    let count = count.strip_suffix(']')?.parse().ok()?;
    (1..=LONGEST_ARRAY)
        .contains(&count)
        .then_some((kind, count))
}

/// Bytes of a plain type.
fn width(kind: &str) -> Option<usize> {
    Some(match kind {
        "int8_t" | "uint8_t" | "bool" | "char" => 1,
        "int16_t" | "uint16_t" => 2,
        "int32_t" | "uint32_t" | "float" => 4,
        "int64_t" | "uint64_t" | "double" => 8,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn length(formats: &[&'static str], name: &str) -> Option<usize> {
        let mut all = Formats::default();
        for format in formats {
            all.add(format.as_bytes());
        }
        all.length(name)
    }

    #[test]
    fn padding_counts_except_at_the_end_of_a_row() {
        let inner = "inner:uint64_t timestamp;uint8_t x;uint8_t[7] _padding0;";
        assert_eq!(length(&[inner], "inner"), Some(9));
        let outer = "outer:uint64_t timestamp;inner[2] parts;bool y;uint8_t[7] _padding0;";
        assert_eq!(length(&[inner, outer], "outer"), Some(8 + 32 + 1));
    }

    #[test]
    fn what_cannot_be_resolved_has_no_length() {
        assert_eq!(length(&["a:nonsense x;"], "a"), None);
        assert_eq!(length(&["a:a x;"], "a"), None, "a circle");
        assert_eq!(length(&["a:float[99999] x;"], "a"), None);
        assert_eq!(length(&["a:float[-1] x;"], "a"), None);
        assert_eq!(length(&["a:float[9] x"], "b"), None);
    }
}
