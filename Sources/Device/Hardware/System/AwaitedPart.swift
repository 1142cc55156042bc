// SPDX-License-Identifier: Apache-2.0
import Base
import Synchronization

/// A part that may be missing: opened as soon as it can be, looked for ever more
/// rarely, and counted.
///
/// `BoardDevices` and the `Awaited…` parts of a board have one each, and `PartPoller` polls it. Any thread may
/// ask and may say that it was lost; one thread looks, and blocks for as long as opening takes.
package final class AwaitedPart<Device: Sendable>: PolledPart {
    private struct State: Sendable {
        var device: Device?
        var fault: Explanation?
        var absences = 0
        var backoff = PollBackoff()
        var wakeOnLoss: (@Sendable () -> Void)?
    }

    /// Where the board file names it, for messages: `light[0]`.
    package let name: String
    private let open: @Sendable () throws -> Device
    private let found: @Sendable (Device) -> Void
    private let state: Mutex<State>

    /// A part that was not looked for yet; it is due at once. `found` is called with each device that
    /// `open` gave, once others see it.
    package init(
        _ name: String, at now: MonotonicTime, open: @escaping @Sendable () throws -> Device,
        found: @escaping @Sendable (Device) -> Void = { _ in }
    ) {
        self.name = name
        self.open = open
        self.found = found
        state = Mutex(State(backoff: PollBackoff(due: now)))
    }

    package var device: Device? { state.withLock { $0.device } }
    /// Why it is missing, with the remedy; nil while it is there, and before the first look.
    package var fault: Explanation? { state.withLock { $0.fault } }
    /// How often it was missing: once where the first look did not find it, and each time it went away.
    package var absences: Int { state.withLock { $0.absences } }
    /// When it is to be looked for; nil while it is there.
    package var due: MonotonicTime? { state.withLock { $0.backoff.due } }

    /// Looks for it if that is due; true when it was missing and is there now, or is
    /// found to be missing for the first time.
    @discardableResult package func poll(at now: MonotonicTime) -> Bool {
        guard let due, due <= now else { return false }
        do {
            let device = try open()
            let wasMissing = state.withLock {
                let wasMissing = $0.fault != nil
                ($0.device, $0.fault) = (device, nil)
                $0.backoff.reset()
                return wasMissing
            }
            found(device)
            return wasMissing
        } catch {
            return state.withLock { state in
                state.backoff.recordFailure(at: now)
                defer { state.fault = Explanation(error) }
                guard state.fault == nil else { return false }
                state.absences += 1
                return true
            }
        }
    }

    /// To be called when the device has refused a call: the part counts as missing from now on, and the device is
    /// closed as soon as nothing uses it any more.
    package func lose(_ error: any Error, at now: MonotonicTime) {
        let lost = state.withLock { state -> (device: Device, wake: (@Sendable () -> Void)?)? in
            guard let device = state.device else { return nil }
            (state.device, state.fault) = (nil, Explanation(error))
            state.absences += 1
            state.backoff.recordFailure(at: now)
            return (device, state.wakeOnLoss)
        }
        // Outside the lock, as is the device's end, since closing may take its time.
        lost?.wake?()
    }

    package func onLoss(_ wake: @escaping @Sendable () -> Void) { state.withLock { $0.wakeOnLoss = wake } }
}
