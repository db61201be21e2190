use std::cell::RefCell;

use px4_ulog::stream_parser::LogParser;
use px4_ulog::stream_parser::model::{
    DataMessage, DropoutMessage, InfoMessage, LoggedStringMessage, ParameterMessage,
    TaggedLoggedStringMessage,
};

use super::row::{self, Row};

/// What the callbacks of the decoder saw in one record.
pub(super) enum Seen {
    Row(Option<u64>, Row),
    /// `ver_sw`.
    Git(Box<str>),
    /// `sys_name`.
    System(Box<str>),
}

/// Runs `run` with a parser whose callbacks write down in `seen` what they are told.
pub(super) fn with_parser<R>(seen: &RefCell<Vec<Seen>>, run: impl FnOnce(LogParser<'_>) -> R) -> R {
    let see = |what| seen.borrow_mut().push(what);
    let mut on_data = |message: &DataMessage<'_>| {
        if let Some(row) = row::row(message) {
            see(Seen::Row(row::timestamp(message), row));
        }
    };
    let mut on_parameter = |parameter: &ParameterMessage<'_>| {
        let (name, value) = match parameter {
            ParameterMessage::Float(name, value, _) => (*name, f64::from(*value)),
            ParameterMessage::Int32(name, value, _) => (*name, f64::from(*value)),
        };
        see(Seen::Row(
            None,
            Row::Parameter {
                name: name.into(),
                value,
            },
        ));
    };
    let mut on_text = |text: &LoggedStringMessage<'_>| {
        see(logged_text(
            text.timestamp,
            text.log_level,
            text.logged_message,
        ));
    };
    let mut on_tagged_text = |text: &TaggedLoggedStringMessage<'_>| {
        see(logged_text(
            text.timestamp,
            text.log_level,
            text.logged_message,
        ));
    };
    let mut on_dropout = |dropout: &DropoutMessage| {
        let millis = u32::from(dropout.duration_ms);
        see(Seen::Row(None, Row::Dropout { millis }));
    };
    let mut on_info = |info: &InfoMessage<'_>| match info.key {
        "ver_sw" => see(Seen::Git(String::from_utf8_lossy(info.value).into())),
        "sys_name" => see(Seen::System(String::from_utf8_lossy(info.value).into())),
        "ver_sw_release" => {
            if let Some(raw) = info.value.first_chunk() {
                let release = release(u32::from_le_bytes(*raw));
                see(Seen::Row(None, Row::Release(release)));
            }
        }
        _ => {}
    };
    let mut parser = LogParser::default();
    parser.set_data_message_callback(&mut on_data);
    parser.set_parameter_message_callback(&mut on_parameter);
    parser.set_logged_string_message_callback(&mut on_text);
    parser.set_tagged_logged_string_message_callback(&mut on_tagged_text);
    parser.set_dropout_message_callback(&mut on_dropout);
    parser.set_info_message_callback(&mut on_info);
    run(parser)
}

/// Severity characters are `'0'` to `'7'`.
fn logged_text(timestamp: u64, level: u8, text: &str) -> Seen {
    Seen::Row(
        Some(timestamp),
        Row::Text {
            severity: level.saturating_sub(b'0').min(7),
            text: text.trim_end().into(),
        },
    )
}

/// `ver_sw_release` as text: one byte each of major, minor, patch and kind of release.
fn release(raw: u32) -> Box<str> {
    let [kind, patch, minor, major] = raw.to_le_bytes();
    // FIRMWARE_VERSION_TYPE: rising from development to official.
    let suffix = match kind {
        255 => "",
        192.. => "-rc",
        128.. => "-beta",
        64.. => "-alpha",
        _ => "-dev",
    };
    format!("v{major}.{minor}.{patch}{suffix}").into()
}
