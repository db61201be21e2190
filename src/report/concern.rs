use super::document::Report;

/// What somebody who watches a fleet may want to be woken by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Concern {
    /// A link loss that happened, by evidence or by the rules, or a GCS failsafe in the vehicle's own log.
    Loss,
    /// An EKF failsafe that tripped, by evidence or because the reports leave no other outcome.
    Ekf,
    /// Something of the record could not be used, or was not recorded.
    Damage,
    /// Evidence that lies outside of every window, or that the rules do not reproduce.
    Unexplained,
}

impl Concern {
    /// Whether `report` gives cause for it.
    #[must_use]
    pub fn is_raised_by(self, report: &Report) -> bool {
        let mut vehicles = report.vehicles.iter();
        match self {
            Self::Loss => vehicles.any(|vehicle| {
                !vehicle.link_losses.is_empty() || !vehicle.logged_gcs_failsafes.is_empty()
            }),
            Self::Ekf => vehicles.any(|vehicle| !vehicle.ekf_failsafes.is_empty()),
            Self::Damage => !report.source.damage.is_clean(),
            Self::Unexplained => vehicles.any(|vehicle| {
                let mut losses = vehicle.link_losses.iter().chain(&vehicle.near_misses);
                let mut trips = vehicle.ekf_failsafes.iter().chain(&vehicle.ekf_possible);
                losses.any(|loss| loss.unexplained) || trips.any(|trip| trip.unexplained)
            }),
        }
    }
}
