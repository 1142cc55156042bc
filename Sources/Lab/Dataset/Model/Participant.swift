// SPDX-License-Identifier: Apache-2.0

/// Someone who takes part, with every enrolment of theirs that something arrived of. `LabFolder` or
/// `DeviceFolder` lists them; an export asks for the `ParticipantRecord` of each.
package struct Participant: Sendable, Hashable {
    /// One enrolment of one device.
    package struct Enrolment: Sendable, Hashable {
        /// The device's own name of it.
        package let id: String
        package let began: StudyTime?
    }

    /// The code in everything that devices send.
    package let id: String
    package let study: String
    /// By their begin, then by name.
    package var enrolments: [Enrolment] = []
}
