use thiserror::Error;

use crate::app::HeartlineApp;

use super::input::Input;

/// Size of the window when the desktop remembers none.
const SIZE: [f32; 2] = [1_280.0, 800.0];
/// Below this, rows of the strips would have to overlap.
const LEAST: [f32; 2] = [1_024.0, 640.0];
/// Name of the window for the desktop: the base name of its desktop file.
const APP_ID: &str = "heartline";

/// The window could not be opened.
#[derive(Debug, Error)]
#[error("the window could not be opened ({0}): check the display and its OpenGL driver")]
pub(super) struct WindowError(#[from] eframe::Error);

/// Opens the window on `source` and returns when it is closed.
pub(super) fn open(source: &str) -> Result<(), WindowError> {
    let initial = start(source);
    let options = eframe::NativeOptions {
        viewport: egui::ViewportBuilder::default()
            .with_app_id(APP_ID)
            .with_title("Heartline")
            .with_inner_size(SIZE)
            .with_min_inner_size(LEAST),
        ..eframe::NativeOptions::default()
    };
    eframe::run_native(
        APP_ID,
        options,
        Box::new(move |creation| {
            Ok(Box::new(HeartlineApp::new(
                creation,
                Box::new(start),
                Some(initial),
            )))
        }),
    )?;
    Ok(())
}

/// Opens and starts a source, for the window: an error is one line for people.
fn start(name: &str) -> Result<crate::source::SourceHandle, String> {
    Input::open(name)
        .and_then(|input| input.start(name))
        .map_err(|error| error.to_string())
}
