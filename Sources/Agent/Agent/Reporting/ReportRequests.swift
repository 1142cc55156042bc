// SPDX-License-Identifier: Apache-2.0
import Base
import Synchronization

/// What asks for a report (a change of state, a network that came, an enrolment), until `ReportService` takes it. Any
/// thread.
final class ReportRequests: Sendable {
    let work: RepeatedWork
    private let events = Mutex<[ReportPlan.Event]>([])

    init(clock: any StudyClock) { work = RepeatedWork(clock: clock, leastPause: .seconds(1)) }

    /// Any thread; never blocks. The same twice is once.
    func post(_ event: ReportPlan.Event) {
        events.withLock { if !$0.contains(event) { $0.append(event) } }
        work.wake()
    }

    func take() -> [ReportPlan.Event] {
        events.withLock { events in
            defer { events = [] }
            return events
        }
    }
}
