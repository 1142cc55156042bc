// SPDX-License-Identifier: Apache-2.0
import Hardware
import Logging
import Sensors
import Store
import Synchronization
import Times

/// The agent's time: the system's clock while somebody vouches for it, else the last time that somebody vouched for, carried on.
///
/// The kernel's clock is left as it is, unless the configuration allows setting it: other programs, and TLS above all, see
/// the system's. Every part of the agent reads this one. Any thread.
public final class SteeredClock: StudyClock {
    /// What goes beside a look at the clock: the bare oscillator, and how long the machine was suspended.
    typealias Marks = @Sendable () -> (raw: MonotonicTime?, slept: Duration)
    private let base: any StudyClock
    private let trust: ClockTrust
    private let marks: Marks
    private let custody: Mutex<ClockCustody>
    /// Sets the system's clock, where that is allowed.
    private let setter: @Sendable (Instant) throws -> Void

    /// A clock over `base`, for which `trust` vouches.
    public convenience init(_ base: any StudyClock, trust: ClockTrust, setsSystem: Bool) {
        self.init(base, trust: trust, marks: base is SystemClock ? Self.systemMarks : Self.noMarks) { instant in
            if setsSystem { try SystemClockSetting.set(to: instant) }
        }
    }

    private static let systemMarks: Marks = { (raw: SystemClock.raw, slept: SystemClock.slept) }
    private static let noMarks: Marks = { (raw: nil, slept: .zero) }

    /// The same with something else that sets the system's clock.
    init(
        _ base: any StudyClock, trust: ClockTrust, marks: @escaping Marks = noMarks,
        setter: @escaping @Sendable (Instant) throws -> Void
    ) {
        self.base = base
        self.trust = trust
        self.marks = marks
        self.setter = setter
        custody = Mutex(ClockCustody())
    }

    /// Goes on where an earlier run stopped: by its newest anchor of this boot, unless the machine was suspended since booting, and
    /// by the last that the kernel or a receiver gave. Before anything else is asked of this clock.
    public func resume(_ anchor: AnchorRecord?, reference: AnchorRecord?) {
        let held = marks().slept > .milliseconds(20) ? nil : anchor?.anchor
        let last = reference.map { $0.instant - $0.anchor.carried }
        custody.withLock {
            $0 = ClockCustody(resuming: held, reference: last, drift: anchor?.drift ?? reference?.drift)
        }
    }

    /// The time that was vouched for, carried on; the system's before anybody did.
    public var now: Instant {
        let time = base.monotonic
        return custody.withLock { $0.held }?.instant(at: time) ?? base.now
    }
    /// The base's.
    public var monotonic: MonotonicTime { base.monotonic }
    /// The base's.
    public func sleep(until deadline: MonotonicTime) async throws { try await base.sleep(until: deadline) }

    /// This clock's time, and whether anybody but the receiver vouches for it.
    public var system: (instant: Instant, isTrusted: Bool) {
        let source = look().source
        return (now, source != .unknown && source != .gps)
    }

    /// Who vouches for `now`. To ask is to look at the system's clock, and to follow it where it is to be followed.
    public var vouching: ClockTrust { ClockTrust(opinion: { [self] in look() }) }

    private func look() -> ClockTrust.Opinion {
        let look = reading()
        return custody.withLock {
            $0.look(look)
            return $0.opinion(at: look.monotonic, wall: look.wall)
        }
    }

    /// Both clocks and what is said of them; again where the wall clock was set in between.
    private func reading() -> ClockCustody.Look {
        var best: ClockCustody.Look?
        for _ in 0..<4 {
            let (before, wall) = (base.monotonic, base.now)
            let opinion = trust.opinion
            let (raw, slept) = marks()
            let (after, later) = (base.monotonic, base.now)
            let look = ClockCustody.Look(
                opinion: opinion, monotonic: before, wall: wall, raw: raw.map { $0 - (after - before) / 2 },
                slept: slept)
            let moved = (later - wall) - (after - before)
            best = best ?? look
            if moved.magnitude < .milliseconds(5) { return look }
            best = look
        }
        return best ?? ClockCustody.Look(opinion: trust.opinion, monotonic: base.monotonic, wall: base.now)
    }

    /// Takes the receiver's time; false where a better clock vouches for itself, or where it was taken before. Throws when the
    /// system's clock was to be set and could not: the time is adopted nevertheless.
    @discardableResult
    public func adopt(_ anchor: ClockAnchor) throws -> Bool {
        let look = reading()
        let raw = look.raw.map { $0 + (anchor.monotonic - look.monotonic) }
        let isFirst = custody.withLock { custody in
            custody.look(look)
            let wasHeld = custody.held?.source == .gps
            return custody.hear(receiver: anchor, raw: raw) && custody.held?.source == .gps && !wasHeld
        }
        if isFirst, abs((now - base.now).nanoseconds) > anchor.uncertainty.nanoseconds { try setter(now) }
        return isFirst
    }
}

extension SteeredClock {
    /// Adopts what a receiver says, and tells the loop.
    func listener(mailbox: Mailbox, log: Logger) -> PositionWatch.Listener {
        PositionWatch.Listener(
            floor: Self.oldest,
            wall: { [self] in
                let (instant, isTrusted) = system
                return GPSClock.Wall(instant, isTrusted: isTrusted)
            },
            found: { [self] anchor in
                do {
                    if try adopt(anchor) { mailbox.post(.clockFound) }
                } catch {
                    log.error("the system's clock could not be set", metadata: ["why": "\(error)"])
                    mailbox.post(.clockFound)
                }
            })
    }

    /// 2026-01-01: no device runs this program before it was written, and until 2045 a receiver whose weeks began anew is
    /// told by it.
    private static let oldest = Instant(seconds: 1_767_225_600)
}
