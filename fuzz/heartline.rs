//! Heartline without its window: what reads input and what is made of it. Built instrumented, the window
//! takes ten times as long as all of this, and no input reaches it but through here.

#[path = "../src/observation/mod.rs"]
pub mod observation;
#[path = "../src/report/mod.rs"]
pub mod report;
#[path = "../src/rules/mod.rs"]
pub mod rules;
#[path = "../src/session/mod.rs"]
pub mod session;
#[path = "../src/source/mod.rs"]
pub mod source;
#[path = "../src/time/mod.rs"]
pub mod time;
