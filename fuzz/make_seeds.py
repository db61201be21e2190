#!/usr/bin/env python3
"""Cuts the seeds of the fuzz targets out of the recordings in tests/data and the built-in scenarios.

Run it in the root of the repository: python3 fuzz/make_seeds.py
"""

import pathlib
import shutil

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATA = ROOT / "tests" / "data"
SEEDS = ROOT / "fuzz" / "seeds"


def seed(target, name, content):
    folder = SEEDS / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content)


def records(tlog):
    """The records of an undamaged tlog."""
    at = 0
    while at < len(tlog):
        version, payload, flags = tlog[at + 8 : at + 11]
        length = 8 + payload + (8 if version == 0xFE else 12 + (13 if flags & 1 else 0))
        yield tlog[at : at + length]
        at += length


def thinned(tlog, most):
    """As much of a tlog as fits into `most` bytes, only of what a session looks at most."""
    wanted = {0, 2, 22, 66, 76, 77, 109, 111, 148, 193, 230, 253, 410, 436}
    kept = b""
    for record in records(tlog):
        head = record[8:18]
        number = head[5] if head[0] == 0xFE else int.from_bytes(head[7:10], "little")
        if number in wanted and len(kept) + len(record) <= most:
            kept += record
    return kept


def dataflash_text():
    lines = [
        "FMT, 128, 89, FMT, BBnNZ, Type,Length,Name,Format,Columns",
        "FMT, 10, 13, ERR, QBB, TimeUS,Subsys,ECode",
        "FMT, 11, 27, PARM, QNf, TimeUS,Name,Value",
        "FMT, 12, 75, MSG, QZ, TimeUS,Message",
        "FMT, 13, 12, MODE, QMBB, TimeUS,Mode,ModeNum,Rsn",
        "MSG, 1000000, ArduRover V4.6.2 (1ebd4d99)",
        "PARM, 1000100, FS_GCS_TIMEOUT, 5.0",
        "MODE, 1200000, 10, 10, 1",
        "ERR, 9000000, 8, 1",
        "ERR, 12000000, 8, 0",
    ]
    return "\n".join(lines).encode() + b"\n"


def main():
    shutil.rmtree(SEEDS, ignore_errors=True)
    px4 = (DATA / "px4" / "s21_v1123_bench_gcsonly_multi4_T5.tlog").read_bytes()
    companion = (DATA / "px4" / "s06_mission_comp0872_T10_hold_inc0143.tlog").read_bytes()
    rover = (DATA / "ardupilot" / "rover_gcs_09_gaps.tlog").read_bytes()
    ekf = (DATA / "ardupilot" / "rover_ekf_03_mag_glitch_10hz.tlog").read_bytes()
    for name, tlog in {"px4": px4, "companion": companion, "rover": rover, "ekf": ekf}.items():
        few = list(records(tlog))[:40]
        seed("frames", name, b"\x07" + b"".join(record[8:] for record in few))
        seed("tlog", name, b"".join(few))
        seed("session", name + ".tlog", thinned(tlog, 24_000))
    damaged = bytearray(b"".join(list(records(rover))[:40]))
    damaged[300:330] = bytes(30)
    damaged[900] ^= 4
    seed("tlog", "damaged", bytes(damaged[:-5]))
    seed("frames", "damaged", b"\x21" + bytes(damaged))

    ulog = (DATA / "px4" / "s21_v1123_bench_gcsonly_multi4_T5.ulg").read_bytes()
    seed("ulog", "whole", ulog)
    seed("session", "px4.ulg", ulog)
    binary = (DATA / "ardupilot" / "rover_ekf_01_verr_1hz.BIN").read_bytes()
    seed("dataflash", "start.bin", binary[:60_000])
    seed("session", "rover.bin", binary[:60_000])
    seed("dataflash", "text.log", dataflash_text())
    seed("session", "text.log", dataflash_text())

    for name in ["udpin:0.0.0.0:14550", "tcp:[::1]:5760", "serial:/dev/ttyUSB0:57600", "COM5", ":14550"]:
        seed("address", name.replace("/", "_").replace(":", "_"), name.encode())
    for scenario in (ROOT / "assets" / "scenarios").glob("*.ron"):
        seed("scenario", scenario.stem, scenario.read_bytes())
    short = (ROOT / "assets" / "scenarios" / "inc-0143.ron").read_text()
    seed("scenario", "comment", ("// short\n" + short).encode())


main()
