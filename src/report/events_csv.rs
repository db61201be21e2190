//! The events of a report as CSV: one row for each, all incidents of a record in order of time, so that a
//! spreadsheet or a query can put many records under each other.

use csv::Writer;

use super::document::{EkfFailsafeReport, LinkLossReport, Report, VehicleReport};

/// The columns, in order. Times are whole microseconds on the record's own clock; an empty cell is not
/// known or does not apply.
pub const CSV_COLUMNS: [&str; 11] = [
    "file",
    "sysid",
    "compid",
    "autopilot",
    "event",
    "earliest_us",
    "latest_us",
    "observed_us",
    "name",
    "verdict",
    "text",
];

/// One row before it is written.
#[derive(Default)]
struct Row {
    event: &'static str,
    earliest: Option<i64>,
    latest: Option<i64>,
    observed: Option<i64>,
    name: String,
    verdict: String,
    text: String,
}

/// The head of the table.
#[must_use]
pub fn csv_head() -> String {
    written(|csv| csv.write_record(CSV_COLUMNS))
}

/// The rows of one report, without a head.
#[must_use]
pub fn csv_rows(report: &Report) -> String {
    written(|csv| {
        for vehicle in &report.vehicles {
            let mut rows = rows_of(vehicle);
            rows.sort_by_key(|row| row.observed.or(row.earliest));
            for row in rows {
                let number = |us: Option<i64>| us.map_or_else(String::new, |us| us.to_string());
                csv.write_record([
                    report.source.path.as_str(),
                    &vehicle.sysid.to_string(),
                    &vehicle.compid.to_string(),
                    vehicle.autopilot,
                    row.event,
                    &number(row.earliest),
                    &number(row.latest),
                    &number(row.observed),
                    &row.name,
                    &row.verdict,
                    &row.text,
                ])?;
            }
        }
        Ok(())
    })
}

/// Writing into memory cannot fail, and every row has as many cells as there are columns.
fn written(write: impl FnOnce(&mut Writer<Vec<u8>>) -> csv::Result<()>) -> String {
    let mut csv = Writer::from_writer(Vec::new());
    write(&mut csv).ok();
    let bytes = csv.into_inner().unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

fn rows_of(vehicle: &VehicleReport) -> Vec<Row> {
    let happened = vehicle.link_losses.iter().map(|loss| ("link_loss", loss));
    let near = vehicle.near_misses.iter().map(|loss| ("near_miss", loss));
    let mut rows: Vec<Row> = happened
        .chain(near)
        .flat_map(|(event, loss)| of_loss(event, loss))
        .collect();
    let tripped = vehicle.ekf_failsafes.iter().map(|e| ("ekf_failsafe", e));
    let possible = vehicle.ekf_possible.iter().map(|e| ("ekf_possible", e));
    rows.extend(
        tripped
            .chain(possible)
            .map(|(event, e)| of_episode(event, e)),
    );
    rows.extend(vehicle.logged_gcs_failsafes.iter().map(|failsafe| Row {
        event: "logged_gcs_failsafe",
        observed: Some(failsafe.at_us),
        text: failsafe.evidence.clone(),
        ..Row::default()
    }));
    rows.extend(vehicle.logged_errors.iter().map(|error| Row {
        event: "logged_error",
        observed: Some(error.at_us),
        text: error.text.clone(),
        ..Row::default()
    }));
    rows
}

fn of_loss(event: &'static str, loss: &LinkLossReport) -> Vec<Row> {
    let mut rows = vec![
        Row {
            event: "last_heartbeat",
            earliest: loss.last_heartbeat.earliest_us,
            latest: loss.last_heartbeat.latest_us,
            name: loss.last_heartbeat.from.clone(),
            ..Row::default()
        },
        Row {
            event: "start_line",
            earliest: loss.start_line.earliest_us,
            latest: loss.start_line.latest_us,
            ..Row::default()
        },
        Row {
            event,
            earliest: loss.predicted_loss.earliest_us,
            latest: loss.predicted_loss.latest_us,
            observed: loss.observed_loss.as_ref().map(|seen| seen.at_us),
            verdict: loss.verdict.clone(),
            text: loss.sentence.clone(),
            ..Row::default()
        },
    ];
    rows.extend(loss.flag_false.map(|flag| Row {
        event: "flag_false",
        earliest: flag.earliest_us,
        latest: flag.latest_us,
        ..Row::default()
    }));
    if loss.predicted_action.is_some() || loss.observed_action.is_some() {
        let (predicted, seen) = (
            loss.predicted_action.as_ref(),
            loss.observed_action.as_ref(),
        );
        rows.push(Row {
            event: "action",
            earliest: predicted.map(|action| action.earliest_us),
            latest: predicted.map(|action| action.latest_us),
            observed: seen.map(|seen| seen.at_us),
            name: seen
                .and_then(|seen| seen.name.clone())
                .or(predicted.map(|action| action.name.clone()))
                .unwrap_or_default(),
            text: predicted
                .map(|action| action.reason.clone())
                .unwrap_or_default(),
            ..Row::default()
        });
    }
    rows.extend(loss.regained_us.map(|back| Row {
        event: "regained",
        observed: Some(back),
        ..Row::default()
    }));
    rows
}

fn of_episode(event: &'static str, episode: &EkfFailsafeReport) -> Row {
    Row {
        event,
        earliest: episode.predicted.and_then(|trip| trip.earliest_us),
        latest: episode.predicted.and_then(|trip| trip.latest_us),
        observed: episode.observed.as_ref().map(|seen| seen.at_us),
        name: episode.reaction.clone().unwrap_or_default(),
        verdict: episode.verdict.clone(),
        text: episode.sentence.clone(),
    }
}
