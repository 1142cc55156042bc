// SPDX-License-Identifier: Apache-2.0
import Base

/// What a `ReportWriter` needs to know besides the report; `EventEncoder` keeps it.
package struct WireContext: Sendable {
    /// The study as decoded at enrolment: tasks, formats and its own `postURL`.
    package let study: StudyProtocol
    package var enrolment: Enrolment
    /// Of the participant's wall clock: wires that send local times use it.
    package let zone: Zone
    /// Where to send instead of the study's own address.
    package let postURL: String?
    /// Where to send; empty = nowhere, until an address is given.
    package var address: String { postURL ?? study.postURL ?? "" }

    package init(study: StudyProtocol, enrolment: Enrolment, zone: Zone, postURL: String?) {
        (self.study, self.enrolment, self.zone, self.postURL) = (study, enrolment, zone, postURL)
    }
}
