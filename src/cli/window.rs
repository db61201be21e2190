use std::time::Duration;

use thiserror::Error;

use crate::app::{HeartlineApp, Opener, Opening, SettingsFile};
use crate::link::{FeedGauge, LinkOptions, feed_pair, usual_recording_folder};

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

/// From the news of something received to the frame that shows it: at most ten frames a second, none when
/// nothing changed.
const WAKE_AFTER: Duration = Duration::from_millis(100);

/// Opens the window on `sources` and returns when it is closed.
pub(super) fn open(sources: &[String]) -> Result<(), WindowError> {
    let sources = sources.to_vec();
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
            let initial = start(&sources, &gauge, &ctx);
            let opener: Opener = Box::new(move |name| start(&[name.to_owned()], &gauge, &ctx));
            let app = HeartlineApp::new(
                creation,
                opener,
                Some(initial),
                feeder,
                SettingsFile::usual(),
            );
            Ok(Box::new(app))
        }),
    )?;
    Ok(())
}

/// The window's icon. One that cannot be read is no reason not to open the window.
fn icon() -> egui::IconData {
    eframe::icon_data::from_png_bytes(include_bytes!("../../assets/icon-256.png"))
        .unwrap_or_default()
}

/// Opens and starts a source, for the window: an error is one line for people.
fn start(names: &[String], gauge: &FeedGauge, ctx: &egui::Context) -> Result<Opening, String> {
    let ctx = ctx.clone();
    let options = LinkOptions {
        gauge: gauge.clone(),
        wake: Box::new(move || ctx.request_repaint_after_for(WAKE_AFTER, egui::ViewportId::ROOT)),
        record_to: usual_recording_folder(),
    };
    Input::open_all(names, 0.0)
        .and_then(|input| input.start(&names.join(" + "), options))
        .map_err(|error| error.to_string())
}
