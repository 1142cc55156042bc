// SPDX-License-Identifier: Apache-2.0
import Hardware
import Logging
import Sensors
import Synchronization
import Times

/// The system's clock, and in its place the time of a satellite receiver where nobody vouches for the system's.
///
/// The kernel's clock is left as it is, unless the configuration allows setting it: other programs, and TLS above all, see
/// the system's. Every part of the agent reads this one. Any thread.
public final class SteeredClock: StudyClock {
    private let base: any StudyClock
    private let trust: ClockTrust
    private let steering = Mutex<ClockAnchor?>(nil)
    /// Sets the system's clock, where that is allowed.
    private let setter: @Sendable (Instant) throws -> Void
    /// A crystal without temperature control drifts by less.
    private static let drift = 100e-6

    /// A clock over `base`, for which `trust` vouches.
    public convenience init(_ base: any StudyClock, trust: ClockTrust, setsSystem: Bool) {
        self.init(base, trust: trust) { instant in if setsSystem { try SystemClockSetting.set(to: instant) } }
    }

    /// The same with something else that sets the system's clock.
    init(_ base: any StudyClock, trust: ClockTrust, setter: @escaping @Sendable (Instant) throws -> Void) {
        self.base = base
        self.trust = trust
        self.setter = setter
    }

    /// The receiver's time where it was adopted, else the system's.
    public var now: Instant { steering.withLock { $0 }.map { $0.instant(at: base.monotonic) } ?? base.now }
    /// The base's.
    public var monotonic: MonotonicTime { base.monotonic }
    /// The base's.
    public func sleep(until deadline: MonotonicTime) async throws { try await base.sleep(until: deadline) }

    /// What the system's own clock says, and whether anybody vouches for it.
    public var system: (instant: Instant, isTrusted: Bool) { (base.now, trust.opinion.source != .unknown) }

    /// Who vouches for `now`: the kernel before the receiver, the receiver before a battery-backed clock. Where the kernel
    /// is synchronised the receiver's time is given up.
    public var vouching: ClockTrust {
        ClockTrust { [self] in
            let own = trust.opinion
            if own.source.isBetterThanGPS {
                steering.withLock { $0 = nil }
                return own
            }
            guard let anchor = steering.withLock({ $0 }) else { return own }
            let age = (base.monotonic - anchor.monotonic).seconds
            return (.gps, anchor.uncertainty + .nanoseconds(Int64(age * Self.drift * 1e9)))
        }
    }

    /// Takes the receiver's time; false where a better clock vouches for itself. Throws when the system's clock was to be
    /// set and could not: the time is adopted nevertheless.
    @discardableResult
    public func adopt(_ anchor: ClockAnchor) throws -> Bool {
        guard !trust.opinion.source.isBetterThanGPS else { return false }
        let isFirst = steering.withLock { held in
            defer { held = anchor }
            return held == nil
        }
        if isFirst, abs((now - base.now).nanoseconds) > anchor.uncertainty.nanoseconds { try setter(now) }
        return isFirst
    }
}

extension ClockAnchor.Source {
    /// NTP is more exact than a receiver without its pulse; virtual time is true by definition.
    fileprivate var isBetterThanGPS: Bool { self == .kernel || self == .simulated }
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
