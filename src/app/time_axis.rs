use crate::time::{Micros, Span};

/// Where the present stands on a following axis, as parts of a thousand of its width: the rest is the
/// future, where predictions are drawn.
const PRESENT_PER_MILLE: i64 = 775;
const SHORTEST: Span = Span::from_millis(5);
/// Ten years: longer than any record, short enough that arithmetic on it is safe.
const LONGEST: Span = Span::from_secs(315_360_000);
/// What a live view shows at first.
const INITIAL: Span = Span::from_secs(20);

/// The visible stretch of time, shared by every strip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TimeAxis {
    from: Micros,
    span: Span,
    follow: bool,
}

impl Default for TimeAxis {
    fn default() -> Self {
        Self {
            from: Micros::default(),
            span: INITIAL,
            follow: true,
        }
    }
}

impl TimeAxis {
    /// The first visible instant.
    pub(super) const fn from(&self) -> Micros {
        self.from
    }

    /// The last visible instant.
    pub(super) fn to(&self) -> Micros {
        self.from + self.span
    }

    /// The visible length.
    pub(super) const fn span(&self) -> Span {
        self.span
    }

    /// Whether the axis moves along with the moment shown.
    pub(super) const fn follows(&self) -> bool {
        self.follow
    }

    /// Lets the axis move along, or holds it.
    pub(super) const fn set_follow(&mut self, follow: bool) {
        self.follow = follow;
    }

    /// Moves along with `moment`, if it follows.
    pub(super) fn keep_up(&mut self, moment: Micros) {
        if self.follow {
            self.from = moment - self.span.scaled(PRESENT_PER_MILLE, 1_000);
        }
    }

    /// Shows `from..=to` with a margin, and stops following.
    pub(super) fn show(&mut self, from: Micros, to: Micros) {
        let span = (to - from).max(SHORTEST).min(LONGEST);
        let margin = span / 40;
        self.from = from - margin;
        self.span = span + margin * 2;
        self.follow = false;
    }

    /// Makes the visible length `factor` times as long, with `fixed` staying where it is. A following
    /// axis keeps following: its fixed point is the present.
    pub(super) fn zoom(&mut self, factor: f64, fixed: Micros) {
        let Some(wanted) = Span::from_secs_f64(self.span.as_secs_f64() * factor) else {
            return;
        };
        let span = wanted.clamp(SHORTEST, LONGEST);
        let before = fixed - self.from;
        self.from = fixed - before.scaled(span.as_micros(), self.span.as_micros());
        self.span = span;
    }

    /// Moves the view by `by` and stops following.
    pub(super) fn pan(&mut self, by: Span) {
        self.from += by;
        self.follow = false;
    }

    /// The mapping to pixels for strips between `left` and `right`.
    pub(super) fn mapping(&self, left: f32, right: f32) -> Mapping {
        Mapping {
            left,
            width: (right - left).max(1.0),
            from: self.from,
            span: self.span,
        }
    }
}

/// Maps time to horizontal position and back. All strips of a frame share one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Mapping {
    left: f32,
    width: f32,
    from: Micros,
    span: Span,
}

impl Mapping {
    /// The position of `at`. Instants far outside map to far outside, within what `f32` holds.
    pub(super) fn x(&self, at: Micros) -> f32 {
        let share = (at - self.from).as_secs_f64() / self.span.as_secs_f64();
        self.left + (share.clamp(-1e4, 1e4) * f64::from(self.width)) as f32
    }

    /// The position of `at`, held within the strip.
    pub(super) fn x_inside(&self, at: Micros) -> f32 {
        self.x(at).clamp(self.left, self.right())
    }

    /// The instant at position `x`.
    pub(super) fn time(&self, x: f32) -> Micros {
        let share = f64::from((x - self.left) / self.width);
        self.from + Span::from_secs_f64(share * self.span.as_secs_f64()).unwrap_or_default()
    }

    /// The time one pixel stands for; never zero.
    pub(super) fn column(&self) -> Span {
        (self.span / (self.width as i64).max(1)).max(Span::from_micros(1))
    }

    /// The time that a shift by `pixels` stands for.
    pub(super) fn shift(&self, pixels: f32) -> Span {
        self.time(self.left + pixels) - self.from
    }

    /// Seconds from the left edge: the coordinate of the numeric strips.
    pub(super) fn seconds(&self, at: Micros) -> f64 {
        at.seconds_since(self.from)
    }

    /// The pixels that `span` takes.
    pub(super) fn shift_pixels(&self, span: Span) -> f32 {
        self.x(self.from + span) - self.left
    }

    /// Whether `at` is visible.
    pub(super) fn shows(&self, at: Micros) -> bool {
        self.from <= at && at <= self.to()
    }

    pub(super) const fn from(&self) -> Micros {
        self.from
    }

    pub(super) fn to(&self) -> Micros {
        self.from + self.span
    }

    pub(super) const fn left(&self) -> f32 {
        self.left
    }

    pub(super) fn right(&self) -> f32 {
        self.left + self.width
    }

    /// Ticks on round times at least `least` pixels apart, counted from `origin`, and their distance.
    pub(super) fn ticks(&self, least: f32, origin: Micros) -> (Vec<Micros>, Span) {
        let wanted = self.span.as_secs_f64() * f64::from(least / self.width);
        let step = round_step(wanted);
        let micros = step.as_micros().max(1);
        let first = (self.from - origin).as_micros().div_euclid(micros) + 1;
        let mut ticks = Vec::new();
        let mut at = origin + step * first;
        // The bound is a belt for absurd ranges: no window is wide enough for more.
        while at <= self.to() && ticks.len() < 500 {
            ticks.push(at);
            at += step;
        }
        (ticks, step)
    }
}

/// The smallest round step that is at least `seconds` long.
fn round_step(seconds: f64) -> Span {
    const ABOVE_A_SECOND: [i64; 18] = [
        1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 21_600, 43_200, 86_400,
        604_800,
    ];
    if seconds < 1.0 {
        let mut micros = 1_000;
        loop {
            for factor in [1, 2, 5] {
                let step = Span::from_micros(micros * factor);
                if step.as_secs_f64() >= seconds {
                    return step;
                }
            }
            micros *= 10;
        }
    }
    ABOVE_A_SECOND
        .into_iter()
        .map(Span::from_secs)
        .find(|step| step.as_secs_f64() >= seconds)
        .unwrap_or_else(|| Span::from_secs((seconds / 604_800.0).ceil() as i64 * 604_800))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: i64) -> Micros {
        Micros::from_millis(ms)
    }

    #[test]
    fn time_and_position_are_inverse() {
        let mut axis = TimeAxis::default();
        axis.show(at(1_700_000_000_000), at(1_700_000_019_000));
        let mapping = axis.mapping(212.0, 890.0);
        for ms in [1_700_000_000_000, 1_700_000_008_412, 1_700_000_019_000] {
            let back = mapping.time(mapping.x(at(ms)));
            assert!(
                (back - at(ms)).abs() < Span::from_millis(3),
                "{ms}: {back:?}"
            );
        }
    }

    #[test]
    fn zoom_keeps_the_instant_under_the_pointer() {
        let mut axis = TimeAxis::default();
        axis.show(at(0), at(20_000));
        let before = axis.mapping(0.0, 1_000.0).x(at(5_000));
        axis.zoom(0.25, at(5_000));
        let after = axis.mapping(0.0, 1_000.0).x(at(5_000));
        assert!((before - after).abs() < 0.1);
        assert_eq!(axis.span(), Span::from_millis(5_250));
    }

    #[test]
    fn a_following_axis_leaves_room_for_the_future_and_panning_stops_it() {
        let mut axis = TimeAxis::default();
        axis.keep_up(at(100_000));
        let x = axis.mapping(0.0, 1_000.0).x(at(100_000));
        assert!((x - 775.0).abs() < 0.5, "{x}");
        axis.pan(Span::from_secs(-5));
        let from = axis.from();
        axis.keep_up(at(200_000));
        assert_eq!(axis.from(), from);
    }

    #[test]
    fn absurd_ranges_stay_finite() {
        let mut axis = TimeAxis::default();
        axis.show(Micros::MIN, Micros::MAX);
        axis.zoom(1e300, Micros::MAX);
        axis.zoom(f64::NAN, Micros::MIN);
        axis.pan(Span::MAX);
        axis.pan(Span::MAX);
        let mapping = axis.mapping(0.0, 500.0);
        assert!(mapping.x(Micros::MAX).is_finite());
        assert!(mapping.ticks(70.0, Micros::MIN).0.len() <= 500);
    }

    #[test]
    fn steps_are_round() {
        assert_eq!(round_step(0.0), Span::from_millis(1));
        assert_eq!(round_step(0.3), Span::from_millis(500));
        assert_eq!(round_step(1.9), Span::from_secs(2));
        assert_eq!(round_step(40.0), Span::from_secs(60));
        assert_eq!(round_step(2_000_000.0), Span::from_secs(604_800 * 4));
    }
}
