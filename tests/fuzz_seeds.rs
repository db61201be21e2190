//! The seeds of the fuzz targets, run through the same functions on the stable toolchain.
#![allow(clippy::expect_used, reason = "a missing seed must stop the test")]

#[path = "../fuzz/bodies.rs"]
mod bodies;

use std::path::Path;

/// Runs `target` over every file of `fuzz/seeds/name`.
fn replay(name: &str, target: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fuzz/seeds")
        .join(name);
    let mut seeds = 0;
    for entry in std::fs::read_dir(folder).expect("there are seeds") {
        let path = entry.expect("folder is readable").path();
        target(&std::fs::read(&path).expect("seed is readable"));
        seeds += 1;
    }
    assert!(seeds > 0, "no seeds of {name}");
}

macro_rules! replay {
    ($($name:ident),*) => {
        $(#[test]
        fn $name() {
            replay(stringify!($name), bodies::$name);
        })*
    };
}

replay!(frames, tlog, ulog, dataflash, address, scenario, session);
