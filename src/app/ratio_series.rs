use crate::session::{EstimatorSample, Series, SeriesPoint};
use crate::time::{Micros, Span};

/// The ratios of a sample.
pub(super) const RATIOS: usize = 5;
/// Samples further apart than this are not joined: nothing is known in between.
pub(super) const HOLE: Span = Span::from_secs(5);

/// The innovation test ratios of the vehicle looked at, each as a series: an hour at 50 Hz costs a frame no
/// more than a second does.
#[derive(Clone, Debug, Default)]
pub(super) struct RatioSeries {
    series: [Series; RATIOS],
    /// So many samples are in it.
    fed: usize,
    last: Option<Micros>,
}

/// The ratios in the order of the strip: compass, velocity, position, height, airspeed. Most vehicles have no
/// airspeed sensor and report zero for ever, which is no reading.
pub(super) fn ratios(sample: &EstimatorSample) -> [Option<f32>; RATIOS] {
    [
        Some(sample.compass),
        Some(sample.velocity),
        Some(sample.position),
        Some(sample.height),
        sample.airspeed.filter(|ratio| *ratio > 0.0),
    ]
}

impl RatioSeries {
    /// Takes in what was appended to `samples` since the last time.
    pub(super) fn feed(&mut self, samples: &[EstimatorSample]) {
        if samples.len() < self.fed {
            // Another vehicle, or a new round.
            *self = Self::default();
        }
        for sample in samples.get(self.fed..).unwrap_or_default() {
            let hole = self.last.filter(|last| sample.at - *last > HOLE);
            for (series, ratio) in self.series.iter_mut().zip(ratios(sample)) {
                if let Some(last) = hole {
                    series.push_gap(last + Span::from_micros(1));
                }
                series.push(sample.at, ratio.unwrap_or(f32::NAN));
            }
            self.last = self.last.max(Some(sample.at));
        }
        self.fed = samples.len();
    }

    /// Ratio number `ratio` as lines for `from..=to` in columns of `column`: at most four vertices a column.
    /// Between two lines nothing is known.
    pub(super) fn lines(
        &self,
        ratio: usize,
        (from, to): (Micros, Micros),
        column: Span,
    ) -> Vec<Vec<SeriesPoint>> {
        let Some(series) = self.series.get(ratio) else {
            return Vec::new();
        };
        series
            .columns(from, to, column)
            .split(|point| point.value.is_nan())
            .filter(|line| !line.is_empty())
            .map(<[_]>::to_vec)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(at: Micros, compass: f32) -> EstimatorSample {
        EstimatorSample {
            at,
            velocity: 0.1,
            position: 0.2,
            height: 0.3,
            compass,
            airspeed: Some(0.0),
            flags: None,
        }
    }

    fn noise(count: i64) -> Vec<EstimatorSample> {
        let value = |i: i64| ((i * 7_919) % 1_009) as f32 / 1_009.0;
        (0..count)
            .map(|i| sample(Micros::from_millis(i * 100), value(i)))
            .collect()
    }

    fn everything() -> (Micros, Micros) {
        (Micros::MIN, Micros::MAX)
    }

    #[test]
    fn a_long_record_costs_its_columns_and_no_extreme_is_lost() {
        let mut samples = noise(200_000);
        samples[123_456].compass = 9.0;
        let mut series = RatioSeries::default();
        series.feed(&samples);
        let range = (Micros::default(), Micros::from_millis(20_000_000));
        let lines = series.lines(0, range, Span::from_secs(20));
        let points: Vec<_> = lines.into_iter().flatten().collect();
        assert!(points.len() <= 4 * 1_002, "{}", points.len());
        assert!(points.iter().any(|point| point.value > 8.9));
    }

    #[test]
    fn feeding_in_pieces_gives_the_same_as_feeding_at_once() {
        let samples = noise(5_003);
        let mut at_once = RatioSeries::default();
        at_once.feed(&samples);
        let mut in_pieces = RatioSeries::default();
        for end in (0..samples.len()).step_by(37).chain([samples.len()]) {
            in_pieces.feed(&samples[..end]);
        }
        let of = |series: &RatioSeries| series.lines(0, everything(), Span::from_secs(20));
        assert_eq!(of(&at_once), of(&in_pieces));
    }

    #[test]
    fn another_vehicle_starts_afresh() {
        let mut series = RatioSeries::default();
        series.feed(&noise(1_000));
        series.feed(&noise(40));
        let lines = series.lines(0, everything(), Span::from_millis(1));
        assert!(
            lines
                .iter()
                .flatten()
                .all(|p| p.at < Micros::from_millis(4_000))
        );
    }

    #[test]
    fn a_hole_is_not_bridged_and_a_missing_sensor_has_no_line() {
        let mut samples = noise(32);
        for (late, sample) in samples.iter_mut().enumerate().skip(8) {
            sample.at = Micros::from_millis(3_600_000 + late as i64 * 100);
        }
        let mut series = RatioSeries::default();
        series.feed(&samples);
        assert_eq!(series.lines(0, everything(), Span::from_secs(10)).len(), 2);
        assert!(
            series
                .lines(4, everything(), Span::from_secs(10))
                .is_empty()
        );
    }
}
