//! The program as an operator starts it: the real window on a real display, a recorded flight played to it
//! over UDP. Heartbeats go out only once they were asked for, go on while the window is minimised, stop
//! when its frame loop hangs, and come back when it does.
//!
//! Needs an X display with a window manager, xdotool and ImageMagick. Where one of them is missing the test
//! says so and checks nothing, except under `CI`, where that is a failure. It takes over the keyboard focus
//! for the half minute that it runs.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "a test of the edge where clocks, sockets and windows are real"
)]

use std::io::Read;
use std::net::UdpSocket;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use heartline::link::TransmitSettings;
use heartline::source::mavlink::{Decoded, FrameDecoder};
use heartline::source::tlog::{TlogItem, TlogReader};

/// The flight that is played: a companion computer beside the autopilot, and unlike in others the vehicle
/// itself is never silent, which would withhold heartbeats for another reason than the one tested here.
const FLIGHT: &str = "tests/data/px4/s04_mission_comp020_T10_hold.tlog";
/// Its vehicle.
const VEHICLE_SYSTEM: u8 = 2;
/// HEARTBEAT.
const HEARTBEAT: u32 = 0;
/// Nothing here takes this long, even on a busy machine without a GPU.
const DEADLINE: Duration = Duration::from_secs(30);
/// Between two looks at a condition.
const POLL: Duration = Duration::from_millis(20);

/// One heartbeat is due a second.
const SLOT: Duration = Duration::from_secs(1);
/// The watchdog's usual timeout.
const TIMEOUT: Duration = Duration::from_secs(5);
/// How long the window freezes itself.
const FREEZE: Duration = Duration::from_secs(8);
/// What a busy machine may add to the way of a heartbeat from its slot to the vehicle.
const LATE: Duration = Duration::from_millis(500);
/// What it may add to the way of a key press from xdotool to the frame loop, or to painting a frame.
const SLOW: Duration = Duration::from_millis(1_500);

#[test]
fn heartbeats_follow_the_real_window() {
    if let Some(missing) = missing_prerequisite() {
        assert!(std::env::var_os("CI").is_none(), "cannot run: {missing}");
        eprintln!("skipped, nothing checked: {missing}");
        return;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("window_end_to_end");
    std::fs::remove_dir_all(&folder).ok();
    std::fs::create_dir_all(&folder).unwrap();
    let port = free_udp_port();
    let vehicle = PlayedVehicle::towards(port);
    let mut window = RunningWindow::open(&format!("udpin:127.0.0.1:{port}"), &folder);

    // Listening. The title without a vehicle is "<source> - Heartline"; a third part before it is the state.
    wait_for("a state in the title", || {
        window.title().matches(" - ").count() >= 2
    });
    let listening = window.moving_picture("listening");
    assert_eq!(
        vehicle.heard().bytes,
        0,
        "not one byte while only listening"
    );

    // Transmitting.
    window.press("ctrl+shift+t");
    let begun = Instant::now();
    vehicle.wait_for_heartbeats_since(begun, 4);
    assert_steady(&vehicle.heartbeats_since(begun));
    assert_ne!(window.moving_picture("transmitting"), listening);

    // Minimised: there is no frame to paint any more, but the loop still runs.
    window.minimise();
    let minimised = Instant::now();
    vehicle.wait_for_heartbeats_since(minimised, 6);
    assert_steady(&vehicle.heartbeats_since(begun));
    // All that is seen of it now is its title, and that keeps up with what happens.
    let title = window.title();
    vehicle.fall_silent(true);
    wait_for("another state in the title", || window.title() != title);
    eprintln!("minimised: {title:?} became {:?}", window.title());
    vehicle.fall_silent(false);
    window.show();
    let shown = Instant::now();
    window.moving_picture("shown-again");
    vehicle.wait_for_heartbeats_since(shown, 2);

    // Frozen: the last feed is the one just before, some time after the keys went down.
    let before_keys = Instant::now();
    window.press("ctrl+shift+f");
    wait_for("heartbeats after the freeze", || {
        vehicle
            .heard()
            .heartbeats
            .last()
            .is_some_and(|last| *last > before_keys + FREEZE)
    });
    let around = vehicle.heartbeats_since(before_keys);
    let gap = around
        .windows(2)
        .max_by_key(|pair| pair[1] - pair[0])
        .expect("heartbeats on both sides of the freeze");
    let (last, resumed) = (gap[0] - before_keys, gap[1] - before_keys);
    eprintln!("frozen: last heartbeat after {last:?}, the next after {resumed:?}");
    assert!(
        last + SLOT + LATE > TIMEOUT,
        "withheld before the timeout: {last:?}"
    );
    assert!(
        last < TIMEOUT + SLOW,
        "heartbeats outlived the frame loop: {last:?}"
    );
    assert!(
        resumed >= FREEZE,
        "resumed before the loop came back: {resumed:?}"
    );
    assert!(
        resumed < FREEZE + SLOT + SLOW,
        "resumed only after {resumed:?}"
    );
    // From the expiry to the next feed, and not more than a slot on either side.
    let length = gap[1] - gap[0];
    assert!(
        length + TIMEOUT + LATE > FREEZE && length + TIMEOUT < FREEZE + 2 * SLOT + LATE,
        "{length:?} without a heartbeat"
    );

    // And on, as before.
    let back = Instant::now();
    vehicle.wait_for_heartbeats_since(back, 3);
    assert_steady(&vehicle.heartbeats_since(back));

    let heard = vehicle.heard();
    assert_eq!(heard.other_bytes, 0, "something else than heartbeats left");
    drop(heard);
    assert!(window.close().success());
}

/// Heartbeats once a second: no gap, and no more of them than slots.
fn assert_steady(heartbeats: &[Instant]) {
    assert!(heartbeats.len() >= 2);
    for pair in heartbeats.windows(2) {
        let apart = pair[1] - pair[0];
        assert!(
            apart.abs_diff(SLOT) < LATE,
            "{apart:?} between two heartbeats"
        );
    }
    let whole = heartbeats[heartbeats.len() - 1] - heartbeats[0];
    let slots = (heartbeats.len() - 1) as u32;
    assert!(
        (SLOT * slots).abs_diff(whole) < LATE,
        "{slots} slots in {whole:?}"
    );
}

/// Why a window cannot be opened and driven here.
fn missing_prerequisite() -> Option<String> {
    if std::env::var_os("DISPLAY").is_none_or(|display| display.is_empty()) {
        return Some("DISPLAY is not set".to_owned());
    }
    for (program, argument) in [("xdotool", "version"), ("import", "-version")] {
        if let Err(error) = finish(Command::new(program).arg(argument)) {
            return Some(format!("{program}: {error}"));
        }
    }
    // Only a window manager knows of desktops, and only with one can a window be minimised.
    finish(Command::new("xdotool").arg("get_num_desktops"))
        .err()
        .map(|error| format!("no window manager on this display: {error}"))
}

/// Runs a helper program to its end: its output, or why there is none.
fn finish(command: &mut Command) -> Result<String, String> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| e.to_string())?;
    let status = status_of(&mut child)?;
    let (mut out, mut complaint) = (String::new(), String::new());
    child.stdout.take().unwrap().read_to_string(&mut out).ok();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut complaint)
        .ok();
    if status.success() {
        Ok(out.trim().to_owned())
    } else {
        Err(format!("{status}: {}", complaint.trim()))
    }
}

/// Waits for the end of a process, which is killed if it does not come.
fn status_of(child: &mut Child) -> Result<ExitStatus, String> {
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait().map_err(|e| e.to_string())? {
            return Ok(status);
        }
        if begun.elapsed() > DEADLINE {
            child.kill().ok();
            child.wait().ok();
            return Err(format!("did not end within {DEADLINE:?}"));
        }
        std::thread::sleep(POLL);
    }
}

fn wait_for(what: &str, mut condition: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < DEADLINE, "waited in vain for {what}");
        std::thread::sleep(POLL);
    }
}

/// A free UDP port: taken and given back.
fn free_udp_port() -> u16 {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.local_addr().unwrap().port()
}

/// The program with its window. Killed when dropped.
struct RunningWindow {
    program: Child,
    id: String,
    folder: PathBuf,
}

impl RunningWindow {
    /// Starts the program on `source`, with a home of its own in `folder`, and waits for its window.
    fn open(source: &str, folder: &Path) -> Self {
        let home = folder.join("home");
        std::fs::create_dir_all(&home).unwrap();
        let program = Command::new(env!("CARGO_BIN_EXE_heartline"))
            .arg(source)
            .env("HOME", &home)
            .env("XDG_CONFIG_HOME", home.join("config"))
            .env("XDG_DATA_HOME", home.join("data"))
            .env("XDG_CACHE_HOME", home.join("cache"))
            // On this X display, whatever else the desktop has.
            .env_remove("WAYLAND_DISPLAY")
            .env_remove("WAYLAND_SOCKET")
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        let mut window = Self {
            program,
            id: String::new(),
            folder: folder.to_owned(),
        };
        wait_for("the window", || {
            if let Some(status) = window.program.try_wait().unwrap() {
                panic!("the program ended before its window was there: {status}");
            }
            window.id = window.visible();
            !window.id.is_empty()
        });
        window
    }

    /// The program's windows that are on the screen, by their ids; empty if there are none.
    fn visible(&self) -> String {
        let pid = self.program.id().to_string();
        let search = ["search", "--onlyvisible", "--all", "--pid", &pid];
        // Finding none is a failure to xdotool.
        finish(
            Command::new("xdotool")
                .args(search)
                .args(["--name", "Heartline"]),
        )
        .unwrap_or_default()
    }

    fn xdotool(&self, action: &[&str]) -> String {
        finish(Command::new("xdotool").args(action).arg(&self.id))
            .unwrap_or_else(|error| panic!("xdotool {action:?}: {error}"))
    }

    fn title(&self) -> String {
        self.xdotool(&["getwindowname"])
    }

    /// Brings the window to the front and gives it the keyboard.
    fn show(&self) {
        self.xdotool(&["windowactivate", "--sync"]);
        wait_for("the window to be shown", || self.visible() == self.id);
    }

    fn minimise(&self) {
        self.xdotool(&["windowminimize"]);
        wait_for("the window to be minimised", || self.visible().is_empty());
    }

    /// Presses keys as the keyboard does. Those sent to a window by its id are marked as synthetic, and
    /// are ignored.
    fn press(&self, keys: &str) {
        self.show();
        let focused = || finish(Command::new("xdotool").arg("getwindowfocus"));
        wait_for("the keyboard focus", || {
            focused().is_ok_and(|id| id == self.id)
        });
        finish(Command::new("xdotool").args(["key", "--clearmodifiers", keys])).unwrap();
    }

    /// What the screen shows, pixel by pixel, once it has changed a few times by itself: a window that is
    /// just being mapped changes once or twice before it is painted. The file stays for whoever wants to
    /// look. Not the window alone: with its frame it may be larger than the screen, and then it cannot be
    /// read.
    fn moving_picture(&self, name: &str) -> Vec<u8> {
        let path = self.folder.join(name).with_extension("ppm");
        let take = || {
            let screen = ["-silent", "-window", "root"];
            finish(Command::new("import").args(screen).arg(&path)).unwrap();
            std::fs::read(&path).unwrap()
        };
        let mut picture = take();
        for _ in 0..4 {
            wait_for("the picture to move", || {
                let next = take();
                std::mem::replace(&mut picture, next) != picture
            });
        }
        picture
    }

    /// Has the window manager close the window, and waits for the program to end.
    fn close(&mut self) -> ExitStatus {
        self.press("alt+F4");
        status_of(&mut self.program).unwrap()
    }
}

impl Drop for RunningWindow {
    fn drop(&mut self) {
        self.program.kill().ok();
        self.program.wait().ok();
    }
}

/// What arrived at the vehicle.
#[derive(Default)]
struct Heard {
    bytes: usize,
    heartbeats: Vec<Instant>,
    /// Bytes that are no heartbeat of a ground station with the usual ids.
    other_bytes: usize,
}

/// The other end of the link: a thread that plays the vehicle's frames of a recorded flight, at the pace at
/// which they came and over and over, and notes what it is sent.
struct PlayedVehicle {
    heard: Arc<Mutex<Heard>>,
    silent: Arc<AtomicBool>,
    stop: Arc<AtomicBool>,
    player: Option<JoinHandle<()>>,
}

impl PlayedVehicle {
    fn towards(port: u16) -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        socket.connect(("127.0.0.1", port)).unwrap();
        let frames = vehicle_frames();
        let heard = Arc::new(Mutex::new(Heard::default()));
        let stop = Arc::new(AtomicBool::new(false));
        let silent = Arc::new(AtomicBool::new(false));
        let (noted, muted, stopped) = (Arc::clone(&heard), Arc::clone(&silent), Arc::clone(&stop));
        let player = std::thread::Builder::new()
            .name("vehicle".to_owned())
            .spawn(move || play(&socket, &frames, &noted, &muted, &stopped))
            .unwrap();
        Self {
            heard,
            silent,
            stop,
            player: Some(player),
        }
    }

    fn heard(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock().unwrap()
    }

    /// Whether the vehicle stops sending, while the flight goes on.
    fn fall_silent(&self, silent: bool) {
        self.silent.store(silent, Ordering::Release);
    }

    /// The times of the heartbeats that arrived after `begun`.
    fn heartbeats_since(&self, begun: Instant) -> Vec<Instant> {
        let heard = self.heard();
        let since = heard.heartbeats.iter().filter(|at| **at > begun);
        since.copied().collect()
    }

    fn wait_for_heartbeats_since(&self, begun: Instant, count: usize) {
        wait_for(&format!("{count} heartbeats"), || {
            self.heartbeats_since(begun).len() >= count
        });
    }
}

impl Drop for PlayedVehicle {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Release);
        if let Some(player) = self.player.take() {
            player.join().ok();
        }
    }
}

/// The frames that the vehicle sent, with the time of each since the first.
fn vehicle_frames() -> Vec<(Duration, Vec<u8>)> {
    let bytes = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(FLIGHT)).unwrap();
    let mut first = None;
    let mut frames = Vec::new();
    for item in TlogReader::new(&bytes).unwrap() {
        if let TlogItem::Record(record) = item
            && record.frame.from.system == VEHICLE_SYSTEM
        {
            let since = record.at - *first.get_or_insert(record.at);
            let since = Duration::from_micros(since.as_micros().unsigned_abs());
            frames.push((since, record.frame.bytes.to_vec()));
        }
    }
    assert!(!frames.is_empty());
    frames
}

fn play(
    socket: &UdpSocket,
    frames: &[(Duration, Vec<u8>)],
    heard: &Mutex<Heard>,
    silent: &AtomicBool,
    stop: &AtomicBool,
) {
    let mut decoder = FrameDecoder::new();
    let mut buffer = [0; 2_048];
    loop {
        let begun = Instant::now();
        for (due, frame) in frames {
            // Nobody listens before the window is open: both directions may be refused until then.
            while let Some(left) = due.checked_sub(begun.elapsed()).filter(|d| !d.is_zero()) {
                if stop.load(Ordering::Acquire) {
                    return;
                }
                socket.set_read_timeout(Some(left.min(POLL))).unwrap();
                if let Ok(length) = socket.recv(&mut buffer) {
                    let mut heard = heard.lock().unwrap();
                    note(&mut heard, &mut decoder, &buffer[..length]);
                }
            }
            if !silent.load(Ordering::Acquire) {
                socket.send(frame).ok();
            }
        }
    }
}

fn note(heard: &mut Heard, decoder: &mut FrameDecoder, bytes: &[u8]) {
    heard.bytes += bytes.len();
    decoder.push(bytes, &mut |decoded| match decoded {
        Decoded::Frame(frame)
            if frame.id == HEARTBEAT && frame.from == TransmitSettings::USUAL_TALKER =>
        {
            heard.heartbeats.push(Instant::now());
        }
        other => heard.other_bytes += other.length(),
    });
}
