//! The design tokens: colours, spacing, type. The only place where a colour is written down.

use std::sync::Arc;

use egui::epaint::Shadow;
use egui::style::{ScrollStyle, Selection, WidgetVisuals};
use egui::{
    Color32, CornerRadius, FontData, FontDefinitions, FontFamily, FontId, Margin, Stroke, Style,
    TextStyle, Theme, Visuals, vec2,
};

/// Spacing goes in steps of four points.
pub(super) mod space {
    /// Between parts of one thing.
    pub(in crate::app) const SMALL: f32 = 4.0;
    /// Between things.
    pub(in crate::app) const MEDIUM: f32 = 8.0;
    /// Around groups.
    pub(in crate::app) const LARGE: f32 = 12.0;
    /// Corner radius of cards.
    pub(in crate::app) const CARD_RADIUS: u8 = 7;
}

/// Type sizes at scale 1.
pub(super) mod size {
    /// The headline that is read from two metres.
    pub(in crate::app) const HEADLINE: f32 = 30.0;
    /// Titles and the two directions.
    pub(in crate::app) const TITLE: f32 = 16.0;
    /// Sentences.
    pub(in crate::app) const BODY: f32 = 13.0;
    /// Table cells, steps of an explanation.
    pub(in crate::app) const SMALL: f32 = 12.0;
    /// Axis labels, captions.
    pub(in crate::app) const CAPTION: f32 = 11.0;
}

/// The look the operator chose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Appearance {
    /// As the desktop says.
    #[default]
    System,
    /// Dark.
    Dark,
    /// Light.
    Light,
    /// White on black at full strength, for sunlight on a dim screen.
    HighContrast,
}

impl Appearance {
    /// All, in the order of [`Self::next`].
    pub const ALL: [Self; 4] = [Self::System, Self::Dark, Self::Light, Self::HighContrast];

    /// The next one in the circle.
    #[must_use]
    pub const fn next(self) -> Self {
        match self {
            Self::System => Self::Dark,
            Self::Dark => Self::Light,
            Self::Light => Self::HighContrast,
            Self::HighContrast => Self::System,
        }
    }

    /// The word shown to the user.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Dark => "dark",
            Self::Light => "light",
            Self::HighContrast => "high contrast",
        }
    }
}

/// The colours of one look. Each is named for what it means.
#[derive(Clone, Copy, Debug)]
pub(super) struct Palette {
    pub background: Color32,
    pub panel: Color32,
    /// Borders of cards.
    pub line: Color32,
    /// Grid lines.
    pub grid: Color32,
    pub text: Color32,
    pub muted: Color32,
    pub ok: Color32,
    pub warn: Color32,
    pub bad: Color32,
    /// Ground stations, and whatever is selected.
    pub info: Color32,
    /// Companion computers.
    pub companion: Color32,
    /// Width of data lines, in points.
    pub stroke: f32,
}

#[expect(
    clippy::disallowed_methods,
    reason = "this function is where design tokens become colours"
)]
const fn rgb(hex: u32) -> Color32 {
    Color32::from_rgb((hex >> 16) as u8, (hex >> 8) as u8, hex as u8)
}

static DARK: Palette = Palette {
    background: rgb(0x0e_1217),
    panel: rgb(0x15_1b22),
    line: rgb(0x26_303a),
    grid: rgb(0x1d_252e),
    text: rgb(0xe8_eef4),
    muted: rgb(0x8d_9aa7),
    ok: rgb(0x35_c79a),
    warn: rgb(0xf0_b23a),
    bad: rgb(0xff_6a4d),
    info: rgb(0x5c_b0ff),
    companion: rgb(0xc5_8ae0),
    stroke: 1.6,
};

static LIGHT: Palette = Palette {
    background: rgb(0xee_f1f4),
    panel: rgb(0xff_ffff),
    line: rgb(0xd3_dae1),
    grid: rgb(0xe6_eaee),
    text: rgb(0x17_202a),
    muted: rgb(0x5d_6b78),
    ok: rgb(0x00_7a5a),
    warn: rgb(0x96_5f00),
    bad: rgb(0xc2_361b),
    info: rgb(0x16_68b8),
    companion: rgb(0x8a_45a8),
    stroke: 1.6,
};

static HIGH_CONTRAST: Palette = Palette {
    background: rgb(0x00_0000),
    panel: rgb(0x00_0000),
    line: rgb(0x8a_949e),
    grid: rgb(0x30_3840),
    text: rgb(0xff_ffff),
    muted: rgb(0xc8_d2dc),
    ok: rgb(0x2d_ffb8),
    warn: rgb(0xff_c400),
    bad: rgb(0xff_6a4d),
    info: rgb(0x5c_c8ff),
    companion: rgb(0xe6_9cff),
    stroke: 2.4,
};

impl Palette {
    /// The palette of `appearance`; `system_dark` says what the desktop prefers.
    pub(super) const fn of(appearance: Appearance, system_dark: bool) -> &'static Self {
        match appearance {
            Appearance::System if system_dark => &DARK,
            Appearance::System | Appearance::Light => &LIGHT,
            Appearance::Dark => &DARK,
            Appearance::HighContrast => &HIGH_CONTRAST,
        }
    }

    /// A see-through version of `colour` for shaded areas.
    pub(super) fn shade(colour: Color32) -> Color32 {
        colour.gamma_multiply(0.2)
    }

    /// Whether grounds are dark.
    fn is_dark(&self) -> bool {
        self.background.r() < 128
    }
}

/// The family of words that carry weight: titles, headlines.
pub(super) fn strong() -> FontFamily {
    FontFamily::Name("strong".into())
}

/// A font for words that carry weight.
pub(super) fn strong_font(points: f32) -> FontId {
    FontId::new(points, strong())
}

/// A font for words.
pub(super) const fn words(points: f32) -> FontId {
    FontId::proportional(points)
}

/// A font for numbers: its figures are all of one width, so that they do not jump.
pub(super) const fn figures(points: f32) -> FontId {
    FontId::monospace(points)
}

/// Installs the bundled fonts in front of egui's own, which stay for symbols and other scripts.
pub(super) fn install_fonts(ctx: &egui::Context) {
    let mut fonts = FontDefinitions::default();
    for (name, bytes) in [
        (
            "Inter",
            &include_bytes!("../../assets/fonts/Inter-Regular.otf")[..],
        ),
        (
            "Inter SemiBold",
            &include_bytes!("../../assets/fonts/Inter-SemiBold.otf")[..],
        ),
        (
            "JetBrains Mono",
            &include_bytes!("../../assets/fonts/JetBrainsMono-Regular.ttf")[..],
        ),
    ] {
        fonts
            .font_data
            .insert(name.to_owned(), Arc::new(FontData::from_static(bytes)));
    }
    let fallback = fonts
        .families
        .get(&FontFamily::Proportional)
        .cloned()
        .unwrap_or_default();
    let mut put = |family: FontFamily, first: &str| {
        let list = fonts
            .families
            .entry(family)
            .or_insert_with(|| fallback.clone());
        list.insert(0, first.to_owned());
    };
    put(FontFamily::Proportional, "Inter");
    put(FontFamily::Monospace, "JetBrains Mono");
    put(strong(), "Inter SemiBold");
    ctx.set_fonts(fonts);
}

/// Styles egui's own widgets after `palette`. Both of egui's themes get the same style, so that nothing
/// depends on which of them the desktop makes it pick.
pub(super) fn apply(ctx: &egui::Context, palette: &Palette) {
    let style = style(palette);
    for theme in [Theme::Dark, Theme::Light] {
        ctx.set_style_of(theme, style.clone());
    }
}

fn style(palette: &Palette) -> Style {
    let mut style = Style {
        visuals: visuals(palette),
        // Nothing moves that has not changed.
        animation_time: 0.0,
        ..Style::default()
    };
    style.text_styles = [
        (TextStyle::Heading, strong_font(size::TITLE)),
        (TextStyle::Body, words(size::BODY)),
        (TextStyle::Button, words(size::BODY)),
        (TextStyle::Small, words(size::CAPTION)),
        (TextStyle::Monospace, figures(size::SMALL)),
    ]
    .into();
    style.spacing.item_spacing = vec2(space::MEDIUM, space::SMALL);
    style.spacing.button_padding = vec2(10.0, 4.0);
    style.spacing.interact_size = vec2(24.0, 24.0);
    style.spacing.scroll = ScrollStyle::thin();
    style.spacing.tooltip_width = 420.0;
    style.interaction.selectable_labels = false;
    style.interaction.tooltip_delay = 0.25;
    style
}

fn visuals(palette: &Palette) -> Visuals {
    let mut visuals = if palette.is_dark() {
        Visuals::dark()
    } else {
        Visuals::light()
    };
    let radius = CornerRadius::same(6);
    let widget = |fill: Color32, edge: Color32, text: Color32| WidgetVisuals {
        bg_fill: fill,
        weak_bg_fill: fill,
        bg_stroke: Stroke::new(1.0, edge),
        corner_radius: radius,
        fg_stroke: Stroke::new(1.0, text),
        expansion: 0.0,
    };
    visuals.widgets.noninteractive = widget(palette.panel, palette.line, palette.text);
    visuals.widgets.inactive = widget(palette.background, palette.line, palette.text);
    visuals.widgets.hovered = widget(palette.background, palette.muted, palette.text);
    visuals.widgets.active = widget(palette.line, palette.info, palette.text);
    visuals.widgets.open = widget(palette.background, palette.info, palette.text);
    visuals.selection = Selection {
        bg_fill: Palette::shade(palette.info),
        stroke: Stroke::new(1.0, palette.info),
    };
    visuals.weak_text_color = Some(palette.muted);
    visuals.hyperlink_color = palette.info;
    visuals.faint_bg_color = palette.grid;
    visuals.extreme_bg_color = palette.background;
    visuals.warn_fg_color = palette.warn;
    visuals.error_fg_color = palette.bad;
    visuals.panel_fill = palette.background;
    visuals.window_fill = palette.panel;
    visuals.window_stroke = Stroke::new(1.0, palette.line);
    visuals.window_corner_radius = CornerRadius::same(space::CARD_RADIUS);
    visuals.menu_corner_radius = radius;
    visuals.popup_shadow = Shadow::NONE;
    visuals.window_shadow = Shadow::NONE;
    visuals
}

/// The frame of a card: a panel with a border.
pub(super) fn card(palette: &Palette) -> egui::Frame {
    egui::Frame::new()
        .fill(palette.panel)
        .stroke(Stroke::new(1.0, palette.line))
        .corner_radius(space::CARD_RADIUS)
        .inner_margin(Margin::symmetric(12, 8))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contrast of two opaque colours after WCAG 2.
    fn contrast(a: Color32, b: Color32) -> f64 {
        let luminance = |c: Color32| {
            let channel = |v: u8| {
                let v = f64::from(v) / 255.0;
                if v <= 0.040_45 {
                    v / 12.92
                } else {
                    ((v + 0.055) / 1.055).powf(2.4)
                }
            };
            0.2126 * channel(c.r()) + 0.7152 * channel(c.g()) + 0.0722 * channel(c.b())
        };
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn every_ink_is_readable_on_its_grounds() {
        for palette in [&DARK, &LIGHT, &HIGH_CONTRAST] {
            for ink in [
                palette.text,
                palette.muted,
                palette.ok,
                palette.warn,
                palette.bad,
                palette.info,
                palette.companion,
            ] {
                for ground in [palette.panel, palette.background] {
                    let ratio = contrast(ink, ground);
                    assert!(ratio >= 4.5, "{ink:?} on {ground:?}: {ratio:.2}");
                }
            }
        }
    }
}
