// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Base

/// Plays a platform's server beside the receiver: hands out studies, takes and checks what devices send, and
/// shows it. `Receiver` adds its routes, `PageRoutes` its sections.
package protocol StandIn: Sendable {
    func addRoutes(to router: inout Router, _ guarded: Guarded)
    /// Its sections of the page, one for each study.
    func sections(address: String, now: Instant) async throws -> [HTML]
    /// Its links at the foot of the page, where it has sections.
    var links: HTML { get }
}

extension StandIn {
    package func sections(address: String, now: Instant) async throws -> [HTML] { [] }
    package var links: HTML { .none }
}

/// The stand-ins that the command line has chosen.
package protocol StandInChoice: Sendable {
    func open(_ lab: StandInParts) throws -> [any StandIn]
}

/// The options of stand-ins on the command line.
package protocol StandInArguments: ParsableArguments {
    var choice: any StandInChoice { get }
    /// Files and folders of the studies that are served.
    var studies: [String] { get }
    /// Lines that are printed instead of serving; nil = it serves.
    var printed: [String]? { get }
    /// What the stand-ins' databases hold of a participant.
    static func participantRows(of participant: String) -> [ParticipantRows]
}

/// The parts of the receiver that a stand-in works with; `Receiver` makes it.
package struct StandInParts: Sendable {
    package let archive: Archive
    package let quota: Quota
    package let faults: Faults
    package let clock: any StudyClock
    /// The receiver's data folder.
    package let directory: String
    package let newID: @Sendable () -> String
    package let report: @Sendable (String) -> Void
    /// Whether the lab takes nothing more in that name.
    package let isRevoked: @Sendable (String) async throws -> Bool
    /// Notes the body of a request with answers that were taken, so that a manifest's line of it is known to be here.
    package let notePosted: @Sendable ([UInt8]) async throws -> Void

    package func keepStudy(_ path: String) { KeptStudies.keep([path], in: directory, report: report) }
}
