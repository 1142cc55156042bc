// SPDX-License-Identifier: Apache-2.0
import Base
import CLinux
import Synchronization
import SystemKit

/// An interrupt line that may be missing: looked for at growing intervals until it can be taken, and again when
/// it was lost. `MeasuringPlan` makes one for each chip whose `interrupt` the board file names.
///
/// Lives on its bus's thread; its descriptor stays the same while the line comes and goes. While the line
/// is missing its chip is polled, and `readEdge`, called after each of those reads, looks for the line when
/// that is due.
package final class AwaitedLine: InterruptLine {
    /// The state of the line, for other threads.
    package final class Condition: Sendable {
        private let state = Mutex((fault: Explanation?.none, absences: 0))

        package init() {}

        /// Why it is missing; nil while it is there.
        package var fault: Explanation? { state.withLock { $0.fault } }
        /// How often it was missing: once at the start, and each time it went away.
        package var absences: Int { state.withLock { $0.absences } }

        fileprivate func set(_ fault: Explanation?) {
            state.withLock {
                if fault != nil, $0.fault == nil { $0.absences += 1 }
                $0.fault = fault
            }
        }
    }

    private let open: () throws -> any InterruptLine
    private let events: Descriptor
    private let condition: Condition
    private let now: () -> MonotonicTime
    private var line: (any InterruptLine)?
    private var backoff: PollBackoff

    /// A line that `open` takes; looked for at once. `now` is CLOCK_MONOTONIC.
    package init(
        _ condition: Condition, now: @escaping () -> MonotonicTime, open: @escaping () throws -> any InterruptLine
    ) throws(SystemError) {
        let epoll = epoll_create1(CInt(EPOLL_CLOEXEC))
        guard epoll >= 0 else { throw SystemError.last("make an epoll") }
        events = Descriptor(owning: epoll, path: "epoll of an interrupt line")
        self.open = open
        self.condition = condition
        self.now = now
        let start = now()
        backoff = PollBackoff(due: start)
        poll(at: start)
    }

    /// Readable when the line is.
    package var descriptor: CInt { events.rawValue }
    package var isThere: Bool { line != nil }

    /// Takes the edges that wait; nil while the line is missing, which is then looked for if that
    /// is due. Never throws.
    package func readEdge() throws(SystemError) -> MonotonicTime? {
        guard let line else {
            poll(at: now())
            return nil
        }
        do throws(SystemError) { return try line.readEdge() } catch {
            _ = clinux_epoll_remove(events.rawValue, line.descriptor)
            self.line = nil
            condition.set(Explanation(error))
            backoff.recordFailure(at: now())
            return nil
        }
    }

    private func poll(at now: MonotonicTime) {
        guard let due = backoff.due, due <= now else { return }
        do {
            let found = try open()
            guard clinux_epoll_add_readable(events.rawValue, found.descriptor) == 0 else {
                throw SystemError.last("watch", "the interrupt line")
            }
            line = found
            backoff.reset()
            condition.set(nil)
        } catch {
            backoff.recordFailure(at: now)
            condition.set(Explanation(error))
        }
    }
}
