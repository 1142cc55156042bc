// SPDX-License-Identifier: Apache-2.0
import Base

/// Plays a platform's server beside the receiver: hands out studies, takes and checks what devices
/// send, and shows it.
protocol StandIn: Sendable {
    /// The statements that make its tables.
    static var tables: String { get }
    /// Nil where it is not asked for.
    init?(_ options: StandInOptions, _ lab: StandInParts) throws
    func addRoutes(to router: inout Router, _ guarded: Guarded)
    /// Its sections of the page, one for each study.
    func sections(host: String, now: Instant) async throws -> [HTML]
    /// Its links at the foot of the page, where it has sections.
    var links: HTML { get }
}

extension StandIn {
    static var tables: String { "" }
    func sections(host: String, now: Instant) async throws -> [HTML] { [] }
    var links: HTML { .none }
}

/// What of the receiver a stand-in works with.
struct StandInParts: Sendable {
    let archive: Archive
    let quota: Quota
    let faults: Faults
    let clock: any StudyClock
    /// Where the receiver keeps everything.
    let directory: String
    let newID: @Sendable () -> String
    let report: @Sendable (String) -> Void
}
