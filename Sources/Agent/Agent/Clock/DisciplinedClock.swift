// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Device
import Glibc
import Logging
import Study
import Synchronization
import SystemKit

/// The agent's time: the system's clock while it is trusted, else the last trusted time, carried
/// on.
///
/// The kernel's clock is left as it is, unless the configuration allows setting it: other programs,
/// and TLS above all, see the system's. Every part of the agent reads this one. Any thread.
///
/// Only `vouching`, `isCertain`, `system` and `adopt` look at the system's clock and so may change what is
/// trusted; `now` carries on what the last look found.
package final class DisciplinedClock: StudyClock {
    /// Which source was trusted at the last look, and what to call when that changes. A struct,
    /// because a tuple with a function in it would be wrapped once more at each access: generic
    /// code stores functions in another form.
    private struct News: Sendable {
        var source: ClockAnchor.Source?
        var tell: (@Sendable () -> Void)?
    }

    private let base: any StudyClock
    private let trust: ClockTrust
    private let discipline: Mutex<ClockDiscipline>
    private let news = Mutex(News())
    /// Sets the system's clock, where that is allowed.
    private let setter: @Sendable (Instant) throws -> Void

    /// A clock over `base`, trusted as `trust` says.
    package convenience init(_ base: any StudyClock, trust: ClockTrust, setsSystem: Bool) {
        self.init(base, trust: trust) { instant in
            if setsSystem { try SystemClockSetting.set(to: instant) }
        }
    }

    /// The same with something else that sets the system's clock.
    init(_ base: any StudyClock, trust: ClockTrust, setter: @escaping @Sendable (Instant) throws -> Void) {
        (self.base, self.trust, self.setter) = (base, trust, setter)
        discipline = Mutex(ClockDiscipline())
    }

    /// Goes on where an earlier run stopped: by its newest anchor of this boot, with what the
    /// machine was suspended since, by the last that the kernel or a receiver gave, and by the `latest`
    /// trusted time of any source. Before anything else is asked of this clock.
    package func resume(_ anchor: AnchorRecord?, reference: AnchorRecord?, latest: Instant? = nil) {
        let marks = base.marks
        let held = anchor.flatMap { Self.carried($0, to: marks) }
        let last = reference.map { $0.instant - $0.anchor.carried }
        discipline.withLock {
            $0 = ClockDiscipline(
                resuming: held, reference: last, latest: latest, drift: anchor?.drift ?? reference?.drift,
                heardKernel: anchor?.heardKernel(since: marks) ?? false)
        }
    }

    /// The record's anchor, with the sleep that the kernel counted since then added; nil after a sleep of unknown
    /// length, and after any sleep where the record has no count.
    private static func carried(_ record: AnchorRecord, to marks: ClockMarks) -> ClockAnchor? {
        guard let before = record.sleptNanoseconds else { return marks.isAwake ? record.anchor : nil }
        let slept = marks.slept - .nanoseconds(before)
        if slept > ClockDiscipline.jitter { return record.anchor.after(sleep: slept) }
        guard let then = record.suspensions, let now = marks.suspensions else { return record.anchor }
        return now > then ? nil : record.anchor
    }

    /// The trusted time, carried on; the system's time before there was one.
    package var now: Instant {
        let time = base.monotonic
        return discipline.withLock { $0.held }?.instant(at: time) ?? base.now
    }
    package var monotonic: MonotonicTime { base.monotonic }
    package var marks: ClockMarks { base.marks }
    package func sleep(until deadline: MonotonicTime) async throws { try await base.sleep(until: deadline) }

    /// This clock's time, and whether a source other than the receiver is trusted.
    package var system: (instant: Instant, isTrusted: Bool) {
        let source = observe().source
        return (now, source != .unknown && source != .gps)
    }

    /// Which source vouches for `now`. Asking looks at the system's clock, and follows it where it is
    /// to be followed.
    package var vouching: ClockTrust { ClockTrust(opinion: { [self] in observe() }) }
    /// A source is trusted now. Looks at the system's clock, as `vouching` does.
    package var isCertain: Bool { vouching.anchor(self).isTrusted }

    private func observe() -> ClockTrust.Opinion {
        let look = reading()
        let opinion = discipline.withLock {
            $0.observe(look)
            return $0.opinion(at: look.monotonic, wall: look.wall)
        }
        let changed = news.withLock { news -> News? in
            guard news.source != opinion.source else { return nil }
            news.source = opinion.source
            return news
        }
        changed?.tell?()
        return opinion
    }

    /// Calls `tell` whenever another source becomes the trusted one, whichever look finds it: what
    /// is known of the clock has to be in the log before the power goes. `tell` must only post.
    func onNews(_ tell: @escaping @Sendable () -> Void) { news.withLock { $0.tell = tell } }

    /// Both clocks and what is said of them; again where the wall clock was set in between.
    private func reading() -> ClockDiscipline.Look {
        var best: ClockDiscipline.Look?
        for _ in 0..<4 {
            let (before, wall) = (base.monotonic, base.now)
            let opinion = trust.opinion
            var marks = base.marks
            let unsteered = opinion.source == .kernel && !marks.isAwake ? trust.unsteered : nil
            let (after, later) = (base.monotonic, base.now)
            // Estimated back to `before`: asking for the opinion may take a millisecond.
            marks.raw = marks.raw.map { $0 - (after - before) / 2 }
            let look = ClockDiscipline.Look(
                opinion: opinion, unsteered: unsteered, monotonic: before, wall: wall, marks: marks)
            let moved = (later - wall) - (after - before)
            if moved.magnitude < .milliseconds(5) { return look }
            best = look
        }
        return best ?? ClockDiscipline.Look(opinion: trust.opinion, monotonic: base.monotonic, wall: base.now)
    }

    /// Takes the receiver's time; false where a better clock is trusted, or where it was taken
    /// before. Throws when the system's clock was to be set and could not be: the time is adopted
    /// nevertheless.
    @discardableResult
    package func adopt(_ anchor: ClockAnchor) throws -> Bool {
        let look = reading()
        let raw = look.marks.raw.map { $0 + (anchor.monotonic - look.monotonic) }
        let isFirst = discipline.withLock { discipline in
            discipline.observe(look)
            let wasHeld = discipline.held?.source == .gps
            return discipline.hear(receiver: anchor, raw: raw) && discipline.held?.source == .gps && !wasHeld
        }
        if isFirst, abs((now - base.now).nanoseconds) > anchor.uncertainty.nanoseconds { try setter(now) }
        return isFirst
    }
}

extension ClockMarks {
    /// The machine was not suspended since booting, as far as the kernel says.
    var isAwake: Bool { slept <= ClockDiscipline.jitter && suspensions ?? 0 == 0 }
}

extension AnchorRecord {
    /// The kernel was heard when it was written, and the machine was not suspended since.
    fileprivate func heardKernel(since marks: ClockMarks) -> Bool {
        guard anchor.source == .kernel, carriedNanoseconds == nil, let sleptNanoseconds else { return false }
        return marks.slept - .nanoseconds(sleptNanoseconds) <= ClockDiscipline.jitter
            && suspensions == marks.suspensions
    }
}

extension DisciplinedClock {
    /// The clock as the agent of a state folder has it, or would have it: for commands that run in
    /// another process. What the log knows is carried on; nothing is written. `vouched`: as the
    /// configuration says of the system's clock.
    package static func carried(vouched: Bool, folder: String) -> DisciplinedClock {
        let clock = DisciplinedClock(SystemClock(), trust: .system(vouched: vouched), setsSystem: false)
        let path = folder + "/studyd.sqlite"
        guard access(path, R_OK) == 0, let boot = SystemClock.bootID(),
            let device = (try? Connection(.readOnly(path))).map({ DeviceHistory($0) })
        else { return clock }
        let anchor = try? device.newestAnchor(ofBoot: boot)
        clock.resume(anchor, reference: try? device.newestReference(), latest: try? device.newestTrustedTime())
        // A system's clock that is right now is followed, as the agent does.
        _ = clock.observe()
        return clock
    }

    /// Adopts what a receiver says and calls `changed` where it is news; `changed` must only post.
    func listener(log: Logger, changed: @escaping @Sendable () -> Void) -> PositionWatch.Listener {
        PositionWatch.Listener(
            floor: Self.oldest,
            wall: { [self] in
                let (instant, isTrusted) = system
                return GPSClock.Wall(instant, isTrusted: isTrusted)
            },
            found: { [self] anchor in
                do {
                    if try adopt(anchor) { changed() }
                } catch {
                    log.error("the system's clock could not be set", metadata: ["why": "\(error)"])
                    changed()
                }
            })
    }

    /// 2026-01-01: no device runs this program before it was written, and until 2045 an earlier
    /// date shows that a receiver's week counter began again.
    static let oldest = Instant(seconds: 1_767_225_600)

    /// How long ago that was; nil where only one of the two is by a clock that was set, or the clock is behind by
    /// more than a correction.
    static func age(of instant: Instant, at now: Instant) -> Duration? {
        guard (instant < oldest) == (now < oldest), instant - now <= .seconds(60) else { return nil }
        return max(.zero, now - instant)
    }
}
