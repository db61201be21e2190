//! The keys. One table decides what they do and is what the help overlay shows.

use egui::{Key, Modifiers};

use super::command::{Command, Tab};

/// One line of the table.
pub(super) struct Shortcut {
    modifiers: Modifiers,
    keys: &'static [Key],
    /// The keys in words.
    pub(super) shown: &'static str,
    /// What they do, in words.
    pub(super) text: &'static str,
    command: Command,
}

const fn plain(
    keys: &'static [Key],
    shown: &'static str,
    text: &'static str,
    command: Command,
) -> Shortcut {
    Shortcut {
        modifiers: Modifiers::NONE,
        keys,
        shown,
        text,
        command,
    }
}

/// All keys, in the order of the help overlay.
pub(super) static SHORTCUTS: [Shortcut; 28] = [
    plain(
        &[Key::Space],
        "Space",
        "Play or pause; live: hold the picture",
        Command::PlayPause,
    ),
    plain(
        &[Key::ArrowLeft],
        "Left",
        "One step back",
        Command::Step(-1),
    ),
    plain(&[Key::ArrowRight], "Right", "One step on", Command::Step(1)),
    plain(
        &[Key::PageUp],
        "Page Up",
        "Ten steps back",
        Command::Step(-10),
    ),
    plain(
        &[Key::PageDown],
        "Page Down",
        "Ten steps on",
        Command::Step(10),
    ),
    plain(
        &[Key::P],
        "P",
        "Previous incident",
        Command::Incident(false),
    ),
    plain(&[Key::N], "N", "Next incident", Command::Incident(true)),
    plain(&[Key::Home], "Home", "Start of the record", Command::Home),
    plain(
        &[Key::End],
        "End",
        "End of the record; live: the present",
        Command::End,
    ),
    plain(
        &[Key::Plus, Key::Equals],
        "+",
        "Zoom in",
        Command::Zoom(true),
    ),
    plain(&[Key::Minus], "-", "Zoom out", Command::Zoom(false)),
    plain(&[Key::F], "F", "Fit the whole record", Command::Fit),
    plain(&[Key::L], "L", "Follow the moment shown", Command::Follow),
    plain(
        &[Key::OpenBracket],
        "[",
        "Slower",
        Command::ChangeSpeed(false),
    ),
    plain(
        &[Key::CloseBracket],
        "]",
        "Faster",
        Command::ChangeSpeed(true),
    ),
    plain(&[Key::Num1], "1", "Why", Command::Tab(Tab::Why)),
    plain(&[Key::Num2], "2", "Talkers", Command::Tab(Tab::Talkers)),
    plain(&[Key::Num3], "3", "Events", Command::Tab(Tab::Events)),
    plain(
        &[Key::Num4],
        "4",
        "Parameters",
        Command::Tab(Tab::Parameters),
    ),
    plain(&[Key::Num5], "5", "What if", Command::Tab(Tab::WhatIf)),
    plain(
        &[Key::A],
        "A",
        "Acknowledge the alarms",
        Command::Acknowledge,
    ),
    plain(&[Key::T], "T", "Next appearance", Command::Appearance),
    Shortcut {
        modifiers: Modifiers::COMMAND,
        keys: &[Key::O],
        shown: "Ctrl+O",
        text: "Open a recording",
        command: Command::OpenDialog,
    },
    Shortcut {
        modifiers: Modifiers::COMMAND.plus(Modifiers::SHIFT),
        keys: &[Key::O],
        shown: "Ctrl+Shift+O",
        text: "Add another recording of the same flight",
        command: Command::AddDialog,
    },
    Shortcut {
        modifiers: Modifiers::COMMAND,
        keys: &[Key::Comma],
        shown: "Ctrl+,",
        text: "Settings",
        command: Command::Settings,
    },
    Shortcut {
        modifiers: Modifiers::COMMAND.plus(Modifiers::SHIFT),
        keys: &[Key::T],
        shown: "Ctrl+Shift+T",
        text: "Start or stop transmitting on a live link",
        command: Command::Transmit,
    },
    Shortcut {
        modifiers: Modifiers::COMMAND.plus(Modifiers::SHIFT),
        keys: &[Key::F],
        shown: "Ctrl+Shift+F",
        text: "Freeze this window for 8 s: watch the watchdog",
        command: Command::Freeze,
    },
    plain(
        &[Key::Questionmark, Key::F1],
        "?",
        "Show or hide these keys",
        Command::Help,
    ),
];

/// Takes the keys pressed in this frame, unless the operator is typing into a field.
pub(super) fn pressed(ctx: &egui::Context) -> Vec<Command> {
    if ctx.text_edit_focused() {
        return Vec::new();
    }
    // Space presses the button that has the focus; whoever walks by Tab key must be able to.
    let focused = ctx.memory(|memory| memory.focused().is_some());
    ctx.input_mut(|input| {
        SHORTCUTS
            .iter()
            .filter(|shortcut| !(focused && shortcut.keys.contains(&Key::Space)))
            .filter(|shortcut| {
                let mut keys = shortcut.keys.iter();
                keys.any(|key| input.consume_key(shortcut.modifiers, *key))
            })
            .map(|shortcut| shortcut.command.clone())
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_means_two_things() {
        let mut seen = Vec::new();
        for shortcut in &SHORTCUTS {
            for key in shortcut.keys {
                let chord = (shortcut.modifiers, *key);
                assert!(!seen.contains(&chord), "{chord:?} is used twice");
                seen.push(chord);
            }
        }
    }
}
