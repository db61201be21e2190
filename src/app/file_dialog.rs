use std::path::PathBuf;

use crossbeam_channel::{Receiver, TryRecvError, bounded};

/// The desktop's file dialog, asked on a thread of its own: it blocks for as long as it is open, and on
/// the window's thread it would stop the frame loop and with it the heartbeats.
#[derive(Debug, Default)]
pub(super) struct FileDialog {
    answer: Option<Receiver<Option<PathBuf>>>,
}

impl FileDialog {
    /// Asks, unless a dialog is open already. The answer is fetched with [`Self::take`]; `ctx` is woken
    /// when it is there.
    pub(super) fn ask(&mut self, ctx: &egui::Context) -> Result<(), String> {
        if self.answer.is_some() {
            return Ok(());
        }
        let (sender, receiver) = bounded(1);
        let ctx = ctx.clone();
        std::thread::Builder::new()
            .name("file dialog".to_owned())
            .spawn(move || {
                // Whoever asked may be gone by the time of the answer; then nobody wants it.
                drop(sender.send(pick()));
                ctx.request_repaint_after(std::time::Duration::from_millis(1));
            })
            .map_err(|error| format!("The file dialog could not be started: {error}. Drop the file on the window instead."))?;
        self.answer = Some(receiver);
        Ok(())
    }

    /// The chosen file, once, when the operator has chosen one.
    pub(super) fn take(&mut self) -> Option<PathBuf> {
        match self.answer.as_ref()?.try_recv() {
            Ok(path) => {
                self.answer = None;
                path
            }
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => {
                self.answer = None;
                None
            }
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the one place where the dialog may block: its own thread"
)]
fn pick() -> Option<PathBuf> {
    rfd::FileDialog::new()
        .set_title("Open a recording")
        .add_filter(
            "Recordings",
            &["tlog", "rlog", "raw", "ulg", "bin", "BIN", "log"],
        )
        .add_filter("All files", &["*"])
        .pick_file()
}
