// SPDX-License-Identifier: Apache-2.0
import Base

/// What every file of a device says about where it comes from. `MeasuringControl` makes it for all recorders of
/// an enrolment.
package struct RecordingOrigin: Sendable, Hashable {
    package var study: String
    /// The participant's code; nil where the study has none.
    package var participant: String?
    /// A stable number of this device, for formats that carry one.
    package var deviceID: UInt32
    /// `/proc/sys/kernel/random/boot_id`: monotonic times mean something within one boot only.
    package var bootID: String
    /// The zone of the participant's wall clock.
    package var zone: Zone
    /// The program that records, with its version: `studyd 0.9.0`.
    package var software: String

    package init(
        study: String, participant: String?, deviceID: UInt32, bootID: String, zone: Zone, software: String = "studyd"
    ) {
        self.study = study
        self.participant = participant
        self.deviceID = deviceID
        self.bootID = bootID
        self.zone = zone
        self.software = software
    }
}
