// SPDX-License-Identifier: Apache-2.0
import Base

/// What follows from the readings of the wall clock.
extension StudyCore {
    /// Notices a step of the wall clock, and that somebody vouches for it or does so no more:
    /// anchors anew and plans again.
    mutating func followClock(_ reading: ClockReading) {
        let now = reading.moment
        // What is odd stands in the log once, when it begins.
        if clock.begins(reading.note), let note = reading.note { remark("clock", note, at: now) }
        switch clock.change(in: reading) {
        case nil: break
        case .news: anchor(reading)
        case .step(let step):
            let wasTrusted = isTrusted
            log([.clockStepped(nanoseconds: step.nanoseconds)], at: now)
            anchor(reading)
            if wasTrusted { conduct(.clockJumped(by: step), at: now) }
            conduct(.tick, at: now)
        }
    }

    private mutating func anchor(_ reading: ClockReading) {
        let isNewTrust = clock.anchor(reading)
        log([.anchored(anchor: reading.record)], at: reading.moment)
        want(.anchors(anchors))
        if reading.anchor.isTrusted { sealWaiting() }
        if isNewTrust, study != nil { reportTrust(at: reading.moment) }
    }

    /// What fell due while the device was off can be told only now: before, nobody knew how long
    /// that was. Nothing is due by a date that is to be put right.
    mutating func reportTrust(at now: Moment) {
        guard !isTrusted || study?.record.undated == nil else { return }
        if isTrusted, let off = clock.off {
            clock.off = nil
            conduct(.wasOff(from: off.since, to: now.instant + (off.until - now.monotonic)), at: now)
        }
        conduct(.clock(trusted: isTrusted), at: now)
    }

    mutating func sealWaiting() {
        guard !clock.waiting.isEmpty else { return }
        want(.seal(clock.waiting, anchors))
        clock.waiting = []
    }
}
