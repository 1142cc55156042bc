// SPDX-License-Identifier: Apache-2.0
import Base
import Logging
import Study
import SystemKit

/// Reports the end of an enrolment to the lab's receiver at `studyd hand-over`, while no agent runs: otherwise the
/// receiver would list the last participant's device as silent for good.
package struct LastReport: Sendable {
    private let configuration: AgentConfiguration
    private let folder: StateFolder
    private let stamps: EventClock
    private let log: Logger

    package init(_ configuration: AgentConfiguration, folder: StateFolder, stamps: EventClock, log: Logger) {
        (self.configuration, self.folder, self.stamps, self.log) = (configuration, folder, stamps, log)
    }

    /// Ends the enrolment in force, without a notice to the study's server, and reports to the lab what was
    /// not reported yet. `deletesUnsent` deletes what has no receipt. A receiver that cannot be reached gets
    /// no report. Does nothing where no receiver is configured.
    package func send(from database: StudyDatabase, deletesUnsent: Bool) async throws {
        guard let server = configuration.report else { return }
        if let present = try await database.latestEnrolment(), present.withdrawn == nil {
            try await database.withdraw(
                deletesUnsent: deletesUnsent, sending: [], at: stamps.stamp(present.record.id))
        }
        let service = service(database, server)
        while case .received(hasMore: true) = try await service.report(isChange: false) {}
    }

    private func service(_ database: StudyDatabase, _ server: ServerSettings) -> ReportService {
        let view = SharedState()
        let path = folder.path
        let trust = DisciplinedClock.resumed(vouched: configuration.trustsSystemClock, folder: path).trust
        let clock = ClockStatus(trust: trust, bound: configuration.promptsWithin)
        let reader = ReportReader(
            database: database, status: StatusReader(database: database, view: view, stamps: stamps, folder: path),
            view: view, clock: clock, stamps: stamps, folder: path, sysfs: "/sys", configuration: configuration.digest,
            watch: StateWatch(database, view: view, clock: clock, stamps: stamps, folder: path, log: log))
        return ReportService(
            ReportRequests(clock: stamps.clock), to: server, configuration, folder, reader, isMeasuring: false, log)
    }
}
