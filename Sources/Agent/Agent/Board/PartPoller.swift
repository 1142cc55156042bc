// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Synchronization
import SystemKit

/// Looks for missing parts of a board on a thread until they appear; reports each change.
///
/// A missing part does not end anything: its work is skipped, the fault is in the status and on the
/// panel, and the part is opened as soon as possible.
package final class PartPoller: Sendable {
    /// One part, by its place in the board file.
    struct Entry: Sendable {
        let place: String
        let part: any PolledPart
        /// Its faults name the place already.
        var isPlaced = true
    }

    private let entries: [Entry]
    private let clock: any StudyClock
    private let waker: Waker
    private let worker = Mutex<WorkerThread?>(nil)
    /// A lost part sends no event: it is noticed after this time.
    private static let round: Duration = .seconds(5)

    /// Looks for each of these parts once, now; that blocks. Nothing is started.
    init(_ entries: [Entry], clock: any StudyClock) throws {
        (self.entries, self.clock) = (entries, clock)
        waker = try Waker()
        poll(at: clock.monotonic)
    }

    /// What is missing, each with file, line, key and remedy.
    package var faults: [Explanation] {
        entries.compactMap { entry in entry.part.fault.map { entry.isPlaced ? $0 : $0.within(entry.place) } }
    }

    /// How often each part was missing so far, by its place; parts that never were are not named.
    package var absences: [(place: String, count: Int)] {
        entries.filter { $0.part.absences > 0 }.map { ($0.place, $0.part.absences) }
    }

    /// Looks for all that is due; true when something came or was found to be missing. Blocks.
    @discardableResult func poll(at now: MonotonicTime) -> Bool {
        // `poll` comes first, so that `||` never skips a part.
        entries.reduce(false) { $1.part.poll(at: now) || $0 }
    }

    /// Goes on looking until `stop`; `changed` is called on that thread and must only post.
    func start(changed: @escaping @Sendable () -> Void) throws {
        try worker.withLock {
            $0 = try WorkerThread(name: "studyd-parts", waker: waker) { [self] in run(changed) }
        }
    }

    private func run(_ changed: () -> Void) {
        while !waker.isStopping {
            waker.wait(atMost: min(Self.round, max(.milliseconds(50), untilDue)))
            if !waker.isStopping, poll(at: clock.monotonic) { changed() }
        }
    }

    private var untilDue: Duration {
        let now = clock.monotonic
        return entries.compactMap(\.part.due).min().map { $0 - now } ?? Self.round
    }

    /// Ends the thread. A thread that hangs in a driver is abandoned after a second. Calling it again does nothing.
    func stop() {
        waker.stop()
        worker.withLock { $0.take() }?.stop(within: .seconds(1))
    }
}
