use std::path::Path;
use std::time::Duration;

use thiserror::Error;

use crate::app::{HeartlineApp, JOINED, Opener, Opening, SettingsFile};
use crate::link::{FeedGauge, LinkOptions, feed_pair, usual_recording_folder};

use super::input::{Input, InputError};

/// Size of the window when the desktop remembers none.
const SIZE: [f32; 2] = [1_280.0, 800.0];
/// Below this, rows of the strips would have to overlap.
const LEAST: [f32; 2] = [1_024.0, 640.0];
/// Name of the window for the desktop: the base name of its desktop file.
const APP_ID: &str = "heartline";

/// The window could not be opened. What the libraries say of it names their own source files, which helps
/// nobody: the kind of failure tells what to do.
#[derive(Debug, Error)]
pub(super) enum WindowError {
    /// Nobody answers at the name of the display.
    #[error("the window could not be opened: no desktop answers at {0}; check the display")]
    Display(String),
    /// It answers, but has no OpenGL that can be used.
    #[error(
        "the window could not be opened: the display offers no OpenGL that can be used; check the display \
         and its driver"
    )]
    OpenGl,
    /// The application refused.
    #[error("the window could not be opened: {0}")]
    Application(String),
}

impl From<eframe::Error> for WindowError {
    fn from(error: eframe::Error) -> Self {
        match error {
            eframe::Error::Winit(_) | eframe::Error::WinitEventLoop(_) => {
                Self::Display(display_name())
            }
            eframe::Error::AppCreation(why) => Self::Application(why.to_string()),
            _ => Self::OpenGl,
        }
    }
}

/// The display as the desktop names it: `DISPLAY=:0`.
fn display_name() -> String {
    ["WAYLAND_DISPLAY", "DISPLAY"]
        .iter()
        .find_map(|name| Some(format!("{name}={}", std::env::var(name).ok()?)))
        .unwrap_or_else(|| "this desktop".to_owned())
}

/// From the news of something received to the frame that shows it: at most ten frames a second, none when
/// nothing changed.
const WAKE_AFTER: Duration = Duration::from_millis(100);

/// Opens the window on `input`, which `source` named, and returns when it is closed.
pub(super) fn open(source: &str, input: Input) -> Result<(), WindowError> {
    let source = source.to_owned();
    let options = eframe::NativeOptions {
        viewport: egui::ViewportBuilder::default()
            .with_app_id(APP_ID)
            .with_title("Heartline")
            .with_icon(icon())
            .with_inner_size(SIZE)
            .with_min_inner_size(LEAST),
        ..eframe::NativeOptions::default()
    };
    eframe::run_native(
        APP_ID,
        options,
        Box::new(move |creation| {
            // Made here, on the frame loop's own thread, which the feeder can never leave.
            let (feeder, gauge) = feed_pair();
            let ctx = creation.egui_ctx.clone();
            let initial = start(input, &source, &gauge, &ctx);
            let opener: Opener = Box::new(move |name| {
                let input = open_named(name).map_err(|error| error.to_string())?;
                start(input, name, &gauge, &ctx)
            });
            let mut app = HeartlineApp::new(
                creation,
                opener,
                Some(initial),
                feeder,
                SettingsFile::usual(),
            );
            if !source.starts_with("demo:") {
                app = app.opened_as(&absolute(&source));
            }
            Ok(Box::new(app))
        }),
    )?;
    Ok(())
}

/// Opens one source, or several recordings whose names the window has joined.
fn open_named(name: &str) -> Result<Input, InputError> {
    // A file that is there is meant as a file, whatever its name looks like.
    if Path::new(name).exists() {
        return Input::open(name);
    }
    let names: Vec<String> = name.split(JOINED).map(str::to_owned).collect();
    Input::open_all(&names, 0.0)
}

/// The same names, with files by their full path: the next start may have another working folder.
fn absolute(names: &str) -> String {
    let full = |name: &str| {
        let path = Path::new(name);
        let full = path.exists().then(|| std::path::absolute(path).ok());
        full.flatten().map_or_else(
            || name.to_owned(),
            |full| full.to_string_lossy().into_owned(),
        )
    };
    if Path::new(names).exists() {
        return full(names);
    }
    let each: Vec<String> = names.split(JOINED).map(full).collect();
    each.join(JOINED)
}

/// The window's icon. One that cannot be read is no reason not to open the window.
fn icon() -> egui::IconData {
    eframe::icon_data::from_png_bytes(include_bytes!("../../assets/icon-256.png"))
        .unwrap_or_default()
}

/// Starts a source for the window: an error is one line for people.
fn start(
    input: Input,
    name: &str,
    gauge: &FeedGauge,
    ctx: &egui::Context,
) -> Result<Opening, String> {
    let ctx = ctx.clone();
    let options = LinkOptions {
        gauge: gauge.clone(),
        wake: Box::new(move || ctx.request_repaint_after_for(WAKE_AFTER, egui::ViewportId::ROOT)),
        record_to: usual_recording_folder(),
    };
    input
        .start(name, options)
        .map_err(|error| error.to_string())
}
