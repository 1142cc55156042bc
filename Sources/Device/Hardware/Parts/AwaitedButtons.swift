// SPDX-License-Identifier: Apache-2.0
import Base
import CLinux
import SystemKit

/// Buttons of a device that may be missing: opened as soon as it can be, and again when it was lost. What was
/// held is then released. `ButtonOpener` makes one for each device that has buttons.
///
/// Lives on its thread alone; its descriptor stays the same while devices come and go.
package final class AwaitedButtons: ButtonSource {
    private let open: () throws -> any ButtonSource
    private let events: Descriptor
    private var source: (any ButtonSource)?
    /// Its `due` is nil while the device is there.
    private var backoff: PollBackoff
    private var absence: (any Error)?
    private var held: Set<Int> = []
    /// The time of the last event or call. A loss has no time of its own and gets this one.
    private var latest: MonotonicTime
    /// The device was lost, and `settle` has not released yet what was held.
    private var hasUnsettledLoss = false
    /// How often the device was missing: at the start, and each time it went away.
    package private(set) var absences = 0

    /// Buttons that `open` opens; looked for at once, which blocks.
    package init(at now: MonotonicTime, open: @escaping () throws -> any ButtonSource) throws(SystemError) {
        let epoll = epoll_create1(CInt(EPOLL_CLOEXEC))
        guard epoll >= 0 else { throw SystemError.last("make an epoll") }
        events = Descriptor(owning: epoll, path: "epoll of buttons")
        self.open = open
        latest = now
        backoff = PollBackoff(due: now)
        poll(at: now)
    }

    /// Readable when the device is.
    package var descriptor: CInt { events.rawValue }
    /// Why there are no presses now; nil while the device is there.
    package var fault: (any Error)? { absence ?? source?.fault }
    /// When it is looked for, or what the device itself waits for.
    package var due: MonotonicTime? {
        if hasUnsettledLoss { return latest }
        return source?.due ?? backoff.due
    }

    /// The edges that wait; none while the device is missing. Never throws: a device that is
    /// gone is looked for.
    package func read() throws(SystemError) -> [ButtonEdge] {
        guard let source else { return [] }
        do throws(SystemError) { return record(try source.read()) } catch {
            lose(source, error)
            return []
        }
    }

    /// Looks for a device that is missing, releases what a lost one held, ends bounces.
    package func settle(at now: MonotonicTime) -> [ButtonEdge] {
        latest = max(latest, now)
        if hasUnsettledLoss {
            hasUnsettledLoss = false
            defer { held = [] }
            return held.sorted().map { ButtonEdge(button: $0, isPressed: false, time: now) }
        }
        if let due = backoff.due, due <= now { poll(at: now) }
        return record(source?.settle(at: now) ?? [])
    }

    private func record(_ edges: [ButtonEdge]) -> [ButtonEdge] {
        for edge in edges {
            latest = max(latest, edge.time)
            if edge.isPressed { held.insert(edge.button) } else { held.remove(edge.button) }
        }
        return edges
    }

    private func poll(at now: MonotonicTime) {
        do {
            let found = try open()
            guard clinux_epoll_add_readable(events.rawValue, found.descriptor) == 0 else {
                throw SystemError.last("watch", "the buttons")
            }
            source = found
            absence = nil
            backoff.reset()
        } catch {
            if absence == nil { absences += 1 }
            absence = error
            backoff.recordFailure(at: now)
        }
    }

    private func lose(_ source: any ButtonSource, _ error: SystemError) {
        _ = clinux_epoll_remove(events.rawValue, source.descriptor)
        self.source = nil
        absence = error
        absences += 1
        hasUnsettledLoss = true
        backoff.recordFailure(at: latest)
    }
}
