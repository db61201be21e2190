//! Where the operator states what they know of the vehicle and the record does not tell.

use egui::{Button, ComboBox, DragValue, Id, RichText, TextEdit, Ui};

use crate::observation::{ParameterName, Talker};
use crate::rules::firmware::{FirmwareSource, FirmwareVersion};
use crate::rules::px4::Entry;
use crate::session::Vehicle;

use super::super::command::Command;
use super::super::phrases;
use super::super::scene::Scene;
use super::super::statements::Statement;
use super::super::theme::{self, size};
use super::heading;

/// The releases at which the rules of an autopilot change, newest first, with the words on them.
const PX4: [(&str, FirmwareVersion); 6] = [
    ("PX4 main (2026)", FirmwareVersion::new(1, 18, 0)),
    ("PX4 1.16, 1.17", FirmwareVersion::new(1, 16, 0)),
    ("PX4 1.14, 1.15", FirmwareVersion::new(1, 14, 0)),
    ("PX4 1.13", FirmwareVersion::new(1, 13, 0)),
    ("PX4 1.12", FirmwareVersion::new(1, 12, 0)),
    ("PX4 up to 1.11", FirmwareVersion::new(1, 11, 0)),
];
const ARDUPILOT: [(&str, FirmwareVersion); 5] = [
    ("ArduPilot 4.7", FirmwareVersion::new(4, 7, 0)),
    ("ArduPilot 4.6", FirmwareVersion::new(4, 6, 0)),
    ("ArduPilot 4.4, 4.5", FirmwareVersion::new(4, 4, 0)),
    ("ArduPilot 4.1 to 4.3", FirmwareVersion::new(4, 1, 0)),
    ("ArduPilot 4.0", FirmwareVersion::new(4, 0, 0)),
];

/// Which firmware's rules apply.
pub(super) fn firmware(
    ui: &mut Ui,
    scene: &Scene<'_>,
    vehicle: &Vehicle,
    commands: &mut Vec<Command>,
) {
    let releases: &[(&str, FirmwareVersion)] = if scene.is_px4() {
        &PX4
    } else if scene.is_ardupilot() {
        &ARDUPILOT
    } else {
        return;
    };
    heading(ui, scene, "FIRMWARE");
    let shown = vehicle.firmware.map_or_else(
        || "not told: every release has its window".to_owned(),
        |known| format!("{} ({})", known.version, known.source.word()),
    );
    let response = ComboBox::from_id_salt("firmware")
        .selected_text(RichText::new(&shown).size(size::SMALL))
        .width(ui.available_width() - 8.0)
        .show_ui(ui, |ui| {
            let stated = vehicle
                .firmware
                .filter(|known| known.source == FirmwareSource::Operator);
            if ui
                .selectable_label(stated.is_none(), "as the vehicle tells")
                .clicked()
            {
                commands.push(Command::State(Statement::Firmware(None)));
            }
            for (words, version) in releases {
                let here = stated.is_some_and(|known| known.version == *version);
                if ui.selectable_label(here, *words).clicked() {
                    commands.push(Command::State(Statement::Firmware(Some(*version))));
                }
            }
        })
        .response;
    response.widget_info(|| {
        egui::WidgetInfo::labeled(egui::Role::ComboBox, true, format!("Firmware: {shown}"))
    });
    response.on_hover_text("By which release's rules the vehicle is judged");
}

/// What is typed and not set yet.
#[derive(Clone, Debug)]
struct Draft {
    name: String,
    value: f64,
}

/// The parameters that the operator sets, and a line to set another.
pub(super) fn parameters(
    ui: &mut Ui,
    scene: &Scene<'_>,
    vehicle: &Vehicle,
    commands: &mut Vec<Command>,
) {
    heading(ui, scene, "SET BY YOU, IN HEARTLINE ONLY");
    for (name, value) in vehicle.parameters.set() {
        ui.horizontal(|ui| {
            let text = format!("{} {}", name.as_str(), phrases::value(value));
            ui.label(RichText::new(text).font(theme::figures(size::CAPTION)));
            if ui
                .add(Button::new(RichText::new("Take back").size(size::CAPTION)))
                .on_hover_text(format!(
                    "What was recorded of {} counts again",
                    name.as_str()
                ))
                .clicked()
            {
                commands.push(Command::State(Statement::Parameter(name, None)));
            }
        });
    }
    let id = Id::unique("parameter draft");
    let usual = scene.link.and_then(|link| link.decided_by.first().copied());
    let mut draft = ui.data(|data| data.get_temp::<Draft>(id)).unwrap_or(Draft {
        name: usual.map(|(name, _)| name.to_owned()).unwrap_or_default(),
        value: usual.map_or(0.0, |(_, known)| known.value),
    });
    ui.horizontal(|ui| {
        let label = ui.label(RichText::new("Set").size(size::CAPTION)).id;
        let field = TextEdit::singleline(&mut draft.name)
            .hint_text("COM_DL_LOSS_T")
            .font(theme::figures(size::CAPTION))
            .char_limit(16)
            .desired_width(124.0);
        ui.add(field).labelled_by(label);
        let to = ui.label(RichText::new("to").size(size::CAPTION)).id;
        ui.add(DragValue::new(&mut draft.value).speed(0.1).max_decimals(3))
            .labelled_by(to);
        let name = draft.name.trim().to_uppercase();
        if ui
            .add_enabled(
                !name.is_empty(),
                Button::new(RichText::new("Set it").size(size::CAPTION)),
            )
            .clicked()
        {
            let name = ParameterName::from(name.as_str());
            let statement = Statement::Parameter(name, Some(draft.value));
            commands.push(Command::State(statement));
        }
    });
    ui.data_mut(|data| data.insert_temp(id, draft));
}

/// Where a talker enters the vehicle.
pub(super) fn entry(
    ui: &mut Ui,
    scene: &Scene<'_>,
    vehicle: &Vehicle,
    talker: Talker,
    commands: &mut Vec<Command>,
) {
    let stated = scene.statements.entry(vehicle.talker, talker);
    let word = |entry| match entry {
        Entry::Here => "on this link",
        Entry::Elsewhere => "on another link",
        Entry::Undecided => "as the record tells",
    };
    let response = ComboBox::from_id_salt(("entry", talker.system, talker.component))
        .selected_text(RichText::new(format!("reaches it {}", word(stated))).size(size::CAPTION))
        .show_ui(ui, |ui| {
            for entry in [Entry::Undecided, Entry::Here, Entry::Elsewhere] {
                if ui.selectable_label(stated == entry, word(entry)).clicked() {
                    commands.push(Command::State(Statement::Entry(talker, entry)));
                }
            }
        })
        .response;
    response.widget_info(|| {
        let text = format!("{talker} reaches the vehicle {}", word(stated));
        egui::WidgetInfo::labeled(egui::Role::ComboBox, true, text)
    });
    response.on_hover_text(
        "PX4 keeps one flag for each of its links: it matters on which of them this one talks to it",
    );
}
