use std::time::Duration;

use eframe::CreationContext;
use egui::{Context, Ui, ViewportId};

use crate::link::UiFeeder;

use super::command::{Command, Tab};
use super::file_dialog::FileDialog;
use super::opened::Opened;
use super::opening::Opening;
use super::settings::{Settings, SettingsFile};
use super::theme::{self, Appearance, Palette};
use super::{glance, help, settings_panel, shortcuts};

mod views;

/// Opens a source by its name: a path, an address, a scenario. The error is one line for people.
pub type Opener = Box<dyn Fn(&str) -> Result<Opening, String>>;

/// Between the names of several recordings that are opened as one.
pub const JOINED: &str = " + ";

/// The frame loop runs at least this often, whatever else happens, because it feeds the watchdog: with
/// the quarter second a hidden window adds, still more than twice within the shortest timeout of 2 s.
const KEEP_ALIVE: Duration = Duration::from_millis(500);
/// The pace of a picture that moves. Faster costs a laptop without a GPU a whole core, nearly all of it
/// in its software rasteriser.
const MOVING: Duration = Duration::from_millis(100);
/// The pace while nobody works in the window.
const MOVING_UNFOCUSED: Duration = Duration::from_millis(250);

/// How long "freeze this window" lasts: longer than the usual watchdog allows with its first slot.
const FREEZE: Duration = Duration::from_secs(8);

/// The window.
pub struct HeartlineApp {
    opener: Opener,
    feeder: UiFeeder,
    freeze: bool,
    opened: Option<Opened>,
    error: Option<String>,
    address: String,
    dialog: FileDialog,
    /// What is open, as the opener understands it.
    source: String,
    /// Whether the file that the dialog asks for joins what is open.
    adding: bool,
    /// What was open before something was added to it, until that has been read.
    before_adding: Option<String>,
    settings: Settings,
    settings_file: Option<SettingsFile>,
    settings_shown: bool,
    applied: Option<(Appearance, bool)>,
    tab: Tab,
    help: bool,
    window_title: String,
    fitted: bool,
}

impl HeartlineApp {
    /// The window over `initial`, or its start page. `opener` opens what the operator asks for later.
    /// `feeder` is fed at the top of every round of the frame loop, and nowhere else. Without `settings`
    /// nothing is kept.
    #[must_use]
    pub fn new(
        creation: &CreationContext<'_>,
        opener: Opener,
        initial: Option<Result<Opening, String>>,
        feeder: UiFeeder,
        settings: Option<SettingsFile>,
    ) -> Self {
        theme::install_fonts(&creation.egui_ctx);
        let mut app = Self {
            opener,
            feeder,
            freeze: false,
            opened: None,
            error: None,
            address: String::new(),
            dialog: FileDialog::default(),
            source: String::new(),
            adding: false,
            before_adding: None,
            settings: Settings::default(),
            settings_file: None,
            settings_shown: false,
            applied: None,
            tab: Tab::default(),
            help: false,
            window_title: String::new(),
            fitted: false,
        };
        if let Some(mut file) = settings {
            (app.settings, app.error) = file.load();
            app.settings_file = Some(file);
        }
        creation.egui_ctx.set_zoom_factor(app.settings.scale);
        match initial {
            Some(Ok(opening)) => {
                app.opened = Some(Opened::new(opening, app.settings.transmit()));
            }
            Some(Err(error)) => app.error = Some(error),
            None => {}
        }
        app.style(&creation.egui_ctx);
        app
    }

    /// Tells under which name the initial source was opened: more recordings can be added to it, and it is
    /// offered again later. Several names are joined by [`JOINED`].
    #[must_use]
    pub fn opened_as(mut self, source: &str) -> Self {
        if self.opened.is_some() {
            self.note_opened(source);
        }
        self
    }

    fn note_opened(&mut self, source: &str) {
        source.clone_into(&mut self.source);
        let mut settings = self.settings.clone();
        settings.opened(source);
        self.configure(settings);
    }

    fn palette(&self, ctx: &Context) -> &'static Palette {
        Palette::of(self.settings.appearance, system_is_dark(ctx))
    }

    /// Maximises, once, a window for whose frame and panels the monitor has no room: its bottom line would lie
    /// below the edge. The monitor is known only after the window is.
    fn fit_to_monitor(&mut self, ctx: &Context) {
        /// What a window's frame and a desktop's panel take, at least.
        const FRAME: egui::Vec2 = egui::vec2(16.0, 64.0);
        if self.fitted {
            return;
        }
        let (monitor, inner) = ctx.input(|input| {
            let viewport = input.viewport();
            (viewport.monitor_size, viewport.inner_rect)
        });
        if let (Some(monitor), Some(inner)) = (monitor, inner) {
            self.fitted = true;
            let needed = inner.size() + FRAME;
            if needed.x > monitor.x || needed.y > monitor.y {
                ctx.send_viewport_cmd(egui::ViewportCommand::Maximized(true));
            }
        }
    }

    fn style(&mut self, ctx: &Context) {
        let wanted = (self.settings.appearance, system_is_dark(ctx));
        if self.applied != Some(wanted) {
            theme::apply(ctx, self.palette(ctx));
            self.applied = Some(wanted);
        }
    }

    fn open(&mut self, source: &str) {
        self.before_adding = None;
        if self
            .opened
            .as_ref()
            .is_some_and(|opened| opened.leads_to(source))
        {
            // A port can be held once: the same link has to be closed before it is opened anew.
            self.opened = None;
        }
        match (self.opener)(source) {
            Ok(opening) => {
                // Dropping the old one asks its thread to stop.
                self.opened = Some(Opened::new(opening, self.settings.transmit()));
                self.error = None;
                self.note_opened(source);
            }
            Err(error) => self.error = Some(error),
        }
    }

    /// Opens recordings together with the one that is open, if they are of one flight; else alone.
    fn add(&mut self, files: &str) {
        if !self.opened.as_ref().is_some_and(Opened::is_recording) {
            self.open(files);
            return;
        }
        let together = format!("{}{JOINED}{files}", self.source);
        match (self.opener)(&together) {
            Ok(opening) => {
                self.opened = Some(Opened::new(opening, self.settings.transmit()));
                self.error = None;
                self.before_adding = Some(std::mem::replace(&mut self.source, together));
            }
            Err(why) => {
                self.open(files);
                // What went wrong with the file itself says more.
                self.error
                    .get_or_insert_with(|| format!("It is opened alone. {why}"));
            }
        }
    }

    /// That recordings do not belong together shows only when they are read: then what was open before is
    /// opened again.
    fn settle_adding(&mut self) {
        let Some(opened) = self.opened.as_ref().filter(|opened| opened.has_ended()) else {
            return;
        };
        let why = opened.failure().filter(|_| opened.is_empty());
        let why = why.map(str::to_owned);
        match (self.before_adding.take(), why) {
            (Some(before), Some(why)) => {
                self.open(&before);
                self.error
                    .get_or_insert_with(|| format!("Not added. {why}"));
            }
            (Some(_), None) => {
                let together = self.source.clone();
                self.note_opened(&together);
            }
            (None, _) => {}
        }
    }

    /// Takes over changed settings and keeps them.
    fn configure(&mut self, settings: Settings) {
        if settings == self.settings {
            return;
        }
        self.settings = settings;
        if let Some(file) = &mut self.settings_file {
            file.save(&self.settings);
        }
    }

    /// The scale can be changed by egui's own keys as well (Ctrl and +, -, 0).
    fn keep_scale(&mut self, ctx: &Context) {
        let scale = ctx.zoom_factor();
        if (scale - self.settings.scale).abs() > 1e-3 {
            let scale = scale.clamp(0.5, 3.0);
            self.configure(Settings {
                scale,
                ..self.settings.clone()
            });
        }
        let problem = self
            .settings_file
            .as_ref()
            .and_then(SettingsFile::take_problem);
        if problem.is_some() {
            self.error = problem;
        }
    }

    fn obey(&mut self, ctx: &Context, commands: Vec<Command>) {
        for command in commands {
            match command {
                Command::Appearance => self.configure(Settings {
                    appearance: self.settings.appearance.next(),
                    ..self.settings.clone()
                }),
                Command::Settings => self.settings_shown = !self.settings_shown,
                Command::Configure(settings) => {
                    ctx.set_zoom_factor(settings.scale);
                    self.configure(settings);
                }
                Command::OpenDialog | Command::AddDialog => {
                    self.adding = command == Command::AddDialog;
                    if let Err(error) = self.dialog.ask(ctx) {
                        self.error = Some(error);
                    }
                }
                Command::Open(source) => self.open(&source),
                Command::Close => {
                    self.opened = None;
                    self.error = None;
                }
                // There is something to learn from it only while heartbeats can stop.
                Command::Freeze => {
                    self.freeze = self.opened.as_ref().is_some_and(Opened::transmits);
                }
                Command::Help => self.help = !self.help,
                Command::Tab(tab) => self.tab = tab,
                Command::DismissError if self.error.is_some() => self.error = None,
                other => {
                    if let Some(opened) = &mut self.opened {
                        opened.obey(&other);
                    }
                }
            }
        }
    }

    /// Files dropped on the window, and the answer of the file dialog.
    fn incoming(&mut self, ctx: &Context) {
        if let Some(path) = self.dialog.take() {
            let path = path.to_string_lossy();
            if std::mem::take(&mut self.adding) {
                self.add(&path);
            } else {
                self.open(&path);
            }
        }
        let dropped: Vec<String> = ctx.input(|input| {
            let files = input.raw.dropped_files.iter();
            files
                .map(|file| file.path().to_string_lossy().into_owned())
                .collect()
        });
        if !dropped.is_empty() {
            self.add(&dropped.join(JOINED));
        }
    }

    /// Asks for the next frame: soon while the picture moves, and in any case for the watchdog.
    fn pace(&self, ctx: &Context, more_waiting: bool) {
        ctx.request_repaint_after_for(KEEP_ALIVE, ViewportId::ROOT);
        let loading = self
            .opened
            .as_ref()
            .is_some_and(|opened| opened.loading().is_some());
        if more_waiting || loading {
            ctx.request_repaint_after_for(Duration::from_millis(10), ViewportId::ROOT);
        } else if self.opened.as_ref().is_some_and(Opened::is_moving) {
            let focused = ctx.input(|input| input.viewport().focused.unwrap_or(true));
            let pace = if focused { MOVING } else { MOVING_UNFOCUSED };
            ctx.request_repaint_after_for(pace, ViewportId::ROOT);
        }
    }

    /// The window's title carries the state: it is all that is seen of a minimised window.
    fn retitle(&mut self, ctx: &Context, headline: Option<String>) {
        let title = match (&self.opened, headline) {
            (Some(opened), Some(headline)) => {
                format!("{headline} - {} - Heartline", opened.title())
            }
            (Some(opened), None) => format!("{} - Heartline", opened.title()),
            (None, _) => "Heartline".to_owned(),
        };
        if title != self.window_title {
            ctx.send_viewport_cmd(egui::ViewportCommand::Title(title.clone()));
            self.window_title = title;
        }
    }
}

impl eframe::App for HeartlineApp {
    /// Runs before every picture, and alone while the window is hidden; sometimes twice for one frame.
    fn logic(&mut self, ctx: &Context, _frame: &mut eframe::Frame) {
        // First: that the loop came round to here proves that the round before, its painting included,
        // came back. The one place that feeds.
        self.feeder.feed();
        if std::mem::take(&mut self.freeze) {
            std::thread::sleep(FREEZE);
        }
        let silence = self.feeder.link_silence();
        let more_waiting = self.opened.as_mut().is_some_and(|opened| {
            opened.look_at_link(silence);
            opened.drain()
        });
        self.settle_adding();
        self.pace(ctx, more_waiting);
        // No `ui` follows while the window is hidden, and its title is all that is seen of it then.
        if ctx.input(|input| input.viewport().visible() == Some(false)) {
            if let Some(opened) = &mut self.opened {
                opened.advance(None);
                call(ctx, opened);
            }
            let headline = self.opened.as_ref().and_then(|opened| {
                let scene = opened.scene(self.palette(ctx), &self.settings.time_zone);
                scene.link.map(|_| glance::headline(&scene))
            });
            self.retitle(ctx, headline);
        }
    }

    fn ui(&mut self, ui: &mut Ui, _frame: &mut eframe::Frame) {
        let ctx = ui.ctx().clone();
        self.fit_to_monitor(&ctx);
        self.incoming(&ctx);
        // Only a shown frame has a time of its own: a hidden one repeats the last.
        let time = ctx.input(|input| input.time);
        if let Some(opened) = &mut self.opened {
            opened.advance(Some(time));
            call(&ctx, opened);
        }
        let mut commands = shortcuts::pressed(&ctx);
        self.style(&ctx);
        let palette = self.palette(&ctx);
        ui.painter()
            .rect_filled(ui.max_rect(), 0.0, palette.background);
        let headline = if self.opened.is_some() {
            self.source_view(ui, &mut commands)
        } else {
            self.start_view(ui, &mut commands);
            None
        };
        if self.help {
            help::show(ui, palette, &mut commands);
        }
        if self.settings_shown {
            settings_panel::show(ui, palette, &self.settings, &mut commands);
        }
        self.keep_scale(&ctx);
        self.retitle(&ctx, headline);
        if !commands.is_empty() {
            self.obey(&ctx, commands);
            // What was asked for is seen in the next frame; do not wait for the keep-alive.
            ctx.request_repaint_after(Duration::from_millis(1));
        }
    }

    fn clear_color(&self, visuals: &egui::Visuals) -> [f32; 4] {
        visuals.panel_fill.to_normalized_gamma_f32()
    }
}

/// Asks the desktop for the operator's attention when an alarm was raised on a live link.
fn call(ctx: &Context, opened: &mut Opened) {
    if opened.watch() && opened.calls() {
        let attention = egui::UserAttentionType::Critical;
        ctx.send_viewport_cmd(egui::ViewportCommand::RequestUserAttention(attention));
    }
}

fn system_is_dark(ctx: &Context) -> bool {
    // Both of egui's themes carry our style, so what it picked says only what the desktop prefers. A
    // desktop that prefers nothing gets the dark look: it is the calmer one beside flight controls.
    ctx.input(|input| input.raw.system_theme) != Some(egui::Theme::Light)
}
