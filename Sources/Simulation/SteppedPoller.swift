// SPDX-License-Identifier: Apache-2.0
import Hardware
import Times

/// What a bus thread does, in virtual time: serves each device when it is due, earliest first.
///
/// Runs as fast as it can on the caller's thread. The devices' simulated bus must read the same clock.
public final class SteppedPoller {
    private struct Entry {
        let device: any PolledDevice
        /// Not served again before this, as a real thread would not either.
        var earliest: MonotonicTime
        var due: MonotonicTime { max(device.due, earliest) }
    }

    private let clock: VirtualClock
    private var entries: [Entry] = []

    /// A poller that moves this clock.
    public init(clock: VirtualClock) { self.clock = clock }

    /// Serves this device too.
    public func add(_ device: any PolledDevice) {
        entries.append(Entry(device: device, earliest: clock.monotonic))
    }

    /// When the next device is due; nil without devices.
    public var due: MonotonicTime? { entries.map(\.due).min() }

    /// Serves everything that is due until `end`, moving the clock from one to the next and then to `end`. Devices that
    /// are due at the same time are served in the order in which they were added.
    public func run(until end: MonotonicTime) {
        while let next = entries.indices.min(by: { entries[$0].due < entries[$1].due }), entries[next].due <= end {
            clock.advance(to: entries[next].due)
            let now = clock.monotonic
            entries[next].device.serve(at: now)
            entries[next].earliest = now + .milliseconds(1)
        }
        clock.advance(to: end)
    }
}
