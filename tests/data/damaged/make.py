#!/usr/bin/env python3
"""Makes the damaged telemetry logs beside this file, and says what of them can be read.

Each is the beginning of a recording of tests/data, damaged in one way by a generator with a fixed seed.
counts.json says per message id how many frames were left whole, and how many of them pymavlink reads; its
dialect does not have LINK_NODE_STATUS, EVENT and a few more of PX4's.
Needs pymavlink (2.4.50 made the files here): python3 tests/data/damaged/make.py
"""

import collections
import json
import pathlib
import random

from pymavlink import mavutil

HERE = pathlib.Path(__file__).resolve().parent
SIZE = 36_000
STAMP = 8


def records(path):
    """The records of an undamaged log, each as (bytes, message id)."""
    data = path.read_bytes()[:SIZE]
    at = 0
    while at + STAMP + 12 <= len(data):
        frame = data[at + STAMP :]
        if frame[0] == 0xFD:
            length = 12 + frame[1] + (13 if frame[2] & 1 else 0)
            message = int.from_bytes(frame[7:10], "little")
        else:
            assert frame[0] == 0xFE
            length = 8 + frame[1]
            message = frame[5]
        end = at + STAMP + length
        if end > len(data):
            break
        yield data[at:end], message
        at = end


def flipped(all_records, random):
    """A byte of every twentieth frame is another: in the payload or the checksum, so that its length stays."""
    for record, message in all_records:
        if random.random() < 0.05:
            record = bytearray(record)
            place = random.randrange(STAMP + 10, len(record))
            record[place] ^= 1 << random.randrange(8)
            yield bytes(record), None
        else:
            yield record, message


def noisy(all_records, random):
    """Before some records lie bytes that belong to none."""
    for record, message in all_records:
        if random.random() < 0.04:
            yield bytes(random.randrange(0xF0) for _ in range(random.randrange(1, 200))), None
        yield record, message


def holes(all_records, random):
    """Stretches are missing that begin and end within a record."""
    missing = 0
    for record, message in all_records:
        if missing == 0 and random.random() < 0.03:
            # The rest of this record, some whole ones, and the head of the one after.
            yield record[: random.randrange(1, len(record) - 1)], None
            missing = random.randrange(1, 6)
        elif missing > 1:
            missing -= 1
        elif missing == 1:
            yield record[random.randrange(STAMP + 1, len(record)) :], None
            missing = 0
        else:
            yield record, message


def pymavlink_counts(path):
    log = mavutil.mavlogfile(str(path))
    counts = collections.Counter()
    while (message := log.recv_msg()) is not None:
        if message.get_type() != "BAD_DATA" and not message.get_type().startswith("UNKNOWN_"):
            counts[message.get_msgId()] += 1
    return counts


def in_order(counts):
    return {str(message): counts[message] for message in sorted(counts)}


def main():
    px4 = HERE.parent / "px4" / "s06_mission_comp0872_T10_hold_inc0143.tlog"
    rover = sorted((HERE.parent / "ardupilot").glob("*.tlog"))[0]
    told = {}
    for name, source, damage in [("flipped", px4, flipped), ("noisy", rover, noisy), ("holes", px4, holes)]:
        pieces = list(damage(records(source), random.Random(name)))
        path = HERE / f"{name}.tlog"
        path.write_bytes(b"".join(piece for piece, _ in pieces))
        whole = collections.Counter(message for _, message in pieces if message is not None)
        told[path.name] = {"whole": in_order(whole), "pymavlink": in_order(pymavlink_counts(path))}
    (HERE / "counts.json").write_text(json.dumps(told, indent=1) + "\n")


main()
