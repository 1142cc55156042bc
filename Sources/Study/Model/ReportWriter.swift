// SPDX-License-Identifier: Apache-2.0
import Base

/// Writes down what happens in one study for that study's server: what it gets, and in which bytes.
/// `EventEncoder` calls it. Platforms bring their own, with what only they know of the study. Pure.
package protocol ReportWriter: Sendable {
    /// The requests that `report` makes, in order; empty where the server does not get it.
    func requests(for report: Report, at now: Instant, in context: WireContext) -> [WireRequest]
    /// The answers of a run, by question id, spelled as on the wire.
    func answers(_ submission: Submission, in context: WireContext) -> JSONText
    /// What is sent with a file of a run, by name; nil = the server does not take that file. It is
    /// sent once the run's answers were taken.
    func fields(for file: RunFile, in context: WireContext) -> [String: String]?
    /// A run's request carries what its recorders wrote, so that it is made once all
    /// of that is there.
    var sendsRecorded: Bool { get }
    /// Reports to those who run the study what is planned and what no longer is
    /// (`PromptCalls.plannedFrom`).
    var tellsPlans: Bool { get }
    /// The X.509 certificate (PEM) to which its requests are encrypted; nil = they are not.
    var recipient: String? { get }
}

extension ReportWriter {
    package func fields(for file: RunFile, in context: WireContext) -> [String: String]? { nil }
    package var sendsRecorded: Bool { false }
    package var tellsPlans: Bool { false }
    package var recipient: String? { nil }
}
