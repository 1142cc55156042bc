// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// What uploads need of the agent.
package struct UploadContext: Sendable {
    /// Retries are stored in its wall time; pauses and alarms run by its monotonic time.
    package let clock: any StudyClock
    package let stamp: @Sendable (_ enrolment: String) -> EventStamp
    /// Called with what went wrong in the store, for the log, on the uploader's thread.
    package let logFault: @Sendable (String) -> Void
    /// The directory to which paths of recordings are relative.
    package let recordings: String
    /// Media types of recordings that are worth compressing on the way.
    package let compressible: Set<String>
    /// An address of the lab's receiver; nil = there is none. Only it hears how the
    /// participant keeps to the study.
    package let lab: String?
    /// What requests to the lab's receiver are signed with; nil = there is no key. Reads a small file.
    package let deviceKey: @Sendable () -> DeviceKey?
    /// Called, with the destination's name, when a log-in page appears before its server, in words,
    /// and with nil when it is gone.
    package let reportPortal: @Sendable (_ destination: String, _ words: String?) -> Void
    /// Called, with the destination's name, when a person has to do something for it, at once or soon
    /// (`DeliveryStep.blocked`, `Destination.warning`); with nil when that is done.
    package let reportNeed: @Sendable (_ destination: String, _ words: Explanation?) -> Void
    /// Called when a destination refused an item of that enrolment, once that is in the log.
    package let reportRefusal: @Sendable (_ enrolment: String, _ destination: String, _ reason: String) -> Void
    /// Called when something was delivered, once for all that went in a row; must return at once.
    package let reportDelivery: @Sendable () -> Void
    /// Everything but answers is gathered, and goes once in this time (`DeliveryWindow`); zero = at once.
    package let every: Duration

    package init(
        clock: any StudyClock, recordings: String, compressible: Set<String> = [], lab: String? = nil,
        deviceKey: @escaping @Sendable () -> DeviceKey? = { nil }, every: Duration = .zero,
        stamp: @escaping @Sendable (_ enrolment: String) -> EventStamp,
        logFault: @escaping @Sendable (String) -> Void,
        reportPortal: @escaping @Sendable (_ destination: String, _ words: String?) -> Void = { _, _ in },
        reportNeed: @escaping @Sendable (_ destination: String, _ words: Explanation?) -> Void = { _, _ in },
        reportRefusal: @escaping @Sendable (_ enrolment: String, _ destination: String, _ reason: String) -> Void = {
            _, _, _ in
        },
        reportDelivery: @escaping @Sendable () -> Void = {}
    ) {
        self.reportNeed = reportNeed
        self.reportRefusal = reportRefusal
        self.reportDelivery = reportDelivery
        self.every = every
        self.reportPortal = reportPortal
        self.compressible = compressible
        self.lab = lab
        self.deviceKey = deviceKey
        self.clock = clock
        self.recordings = recordings
        self.stamp = stamp
        self.logFault = logFault
    }
}
