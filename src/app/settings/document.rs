use std::collections::BTreeMap;

use ron::Value;
use ron::ser::PrettyConfig;

use crate::observation::Talker;

use super::super::theme::Appearance;
use super::Settings;

/// The version of the file that is written.
const VERSION: i64 = 1;

/// The content of the settings file: a RON map. Keys that this version does not know are kept, so that a
/// newer one finds them again.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::app) struct Document {
    keys: BTreeMap<String, Value>,
}

impl Document {
    /// Reads a file's text. The error says what is wrong and where.
    pub(in crate::app) fn parse(text: &str) -> Result<Self, String> {
        let keys: BTreeMap<String, Value> = ron::from_str(text).map_err(|e| e.to_string())?;
        Ok(Self { keys })
    }

    /// The settings in it. What is missing, or no sensible value, is as by default.
    pub(in crate::app) fn settings(&self) -> Settings {
        let usual = Settings::default();
        let known = |key: &str, least: f64, most: f64| {
            self.number(key)
                .filter(|value| (least..=most).contains(value))
        };
        let id = |key, usual: u8| known(key, 1.0, 255.0).map_or(usual, |id| id as u8);
        Settings {
            appearance: self
                .text("appearance")
                .and_then(|word| Appearance::ALL.into_iter().find(|a| a.word() == word))
                .unwrap_or_default(),
            scale: known("scale", 0.5, 3.0).map_or(usual.scale, |scale| scale as f32),
            time_zone: self.text("time_zone").unwrap_or(usual.time_zone),
            talker: Talker::new(
                id("system_id", usual.talker.system),
                id("component_id", usual.talker.component),
            ),
            watchdog_s: known("watchdog_s", 2.0, 3_600.0).map_or(usual.watchdog_s, |s| s as u16),
            recent: match self.keys.get("recent") {
                Some(Value::Seq(all)) => {
                    all.iter().filter_map(text_of).take(super::RECENT).collect()
                }
                _ => Vec::new(),
            },
        }
    }

    /// Takes in `settings`; everything else stays.
    pub(in crate::app) fn set(&mut self, settings: &Settings) {
        let recent = settings.recent.iter().cloned().map(Value::String).collect();
        let number = |value: i64| Value::Number(value.into());
        for (key, value) in [
            ("version", number(VERSION)),
            (
                "appearance",
                Value::String(settings.appearance.word().to_owned()),
            ),
            ("scale", Value::Number(settings.scale.into())),
            ("time_zone", Value::String(settings.time_zone.clone())),
            ("system_id", number(settings.talker.system.into())),
            ("component_id", number(settings.talker.component.into())),
            ("watchdog_s", number(settings.watchdog_s.into())),
            ("recent", Value::Seq(recent)),
        ] {
            self.keys.insert(key.to_owned(), value);
        }
    }

    /// The file's text.
    pub(in crate::app) fn to_text(&self) -> Result<String, String> {
        ron::ser::to_string_pretty(&self.keys, PrettyConfig::default()).map_err(|e| e.to_string())
    }

    fn text(&self, key: &str) -> Option<String> {
        self.keys.get(key).and_then(text_of)
    }

    fn number(&self, key: &str) -> Option<f64> {
        match self.keys.get(key) {
            Some(Value::Number(number)) => Some(number.into_f64()),
            _ => None,
        }
    }
}

fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let mut settings = Settings {
            appearance: Appearance::HighContrast,
            scale: 1.5,
            time_zone: "Europe/Berlin".to_owned(),
            talker: Talker::new(245, 191),
            watchdog_s: 9,
            recent: Vec::new(),
        };
        settings.opened("a.tlog");
        settings.opened("udpin:0.0.0.0:14550");
        settings.opened("a.tlog");
        let mut document = Document::default();
        document.set(&settings);
        let again = Document::parse(&document.to_text().unwrap()).unwrap();
        assert_eq!(again.settings(), settings);
        assert_eq!(settings.recent, ["a.tlog", "udpin:0.0.0.0:14550"]);
    }

    #[test]
    fn unknown_keys_survive() {
        let text = "{\"version\": 9, \"future\": [1, 2, {\"deep\": true}], \"scale\": 2.0}";
        let mut document = Document::parse(text).unwrap();
        document.set(&document.settings());
        let again = document.to_text().unwrap();
        assert!(
            again.contains("future") && again.contains("deep"),
            "{again}"
        );
        assert!((document.settings().scale - 2.0).abs() < 1e-6);
    }

    #[test]
    fn absurd_values_are_as_by_default() {
        let text = "{\"scale\": 900.0, \"system_id\": -4, \"watchdog_s\": \"soon\", \"recent\": 3}";
        let settings = Document::parse(text).unwrap().settings();
        assert_eq!(settings, Settings::default());
    }

    #[test]
    fn a_broken_text_says_where_it_is_broken() {
        let error = Document::parse("{\"scale\": 1.0,, }").unwrap_err();
        assert!(error.contains("1:"), "{error}");
    }
}
