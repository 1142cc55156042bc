// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// What an `Uploader` and its lanes need of the agent; `UploaderMaker` makes it.
package struct UploadContext: Sendable {
    /// Retries are stored in its wall time; pauses and alarms run by its monotonic time.
    package let clock: any StudyClock
    package let stamp: @Sendable (_ enrolment: String) -> EventStamp
    /// The directory to which paths of recordings are relative.
    package let recordings: String
    /// Media types of recordings that are worth compressing on the way.
    package let compressible: Set<String>
    /// An address of the lab's receiver, which alone gets the participant's compliance; nil = there is none.
    package let lab: String?
    /// What requests to the lab's receiver are signed with; nil = there is no key. Reads a small file.
    package let deviceKey: @Sendable () -> DeviceKey?
    /// Everything but answers is gathered, and goes once in this time (`DeliveryWindow`); zero = at once.
    package let every: Duration
    package let report: @Sendable (UploadNews) -> Void

    package init(
        clock: any StudyClock, recordings: String, compressible: Set<String> = [], lab: String? = nil,
        deviceKey: @escaping @Sendable () -> DeviceKey? = { nil }, every: Duration = .zero,
        stamp: @escaping @Sendable (_ enrolment: String) -> EventStamp,
        report: @escaping @Sendable (UploadNews) -> Void
    ) {
        (self.clock, self.stamp, self.report) = (clock, stamp, report)
        (self.recordings, self.compressible, self.every) = (recordings, compressible, every)
        (self.lab, self.deviceKey) = (lab, deviceKey)
    }
}
