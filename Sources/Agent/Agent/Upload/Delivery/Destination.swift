// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Where items go. A `DeliveryRunner` opens it, calls `send` step after step, and closes it, all on the
/// thread of a `DeliveryLane`; the properties never change. What was learnt of a server is kept behind a lock.
package protocol Destination: Sendable {
    var name: String { get }
    var minimumInterval: Duration { get }
    /// Whether each item carries its own address, so that items of another enrolment may go to another server
    /// and get a separate queue.
    var hasManyServers: Bool { get }
    /// Whether an item that may or may not have arrived is sent again; otherwise it is kept for a person to
    /// decide.
    var resendsUncertain: Bool { get }
    /// Whether the server recognises a request that comes a second time, so that losing a receipt in a power
    /// cut costs one more request and no duplicate.
    var recognisesRepeats: Bool { get }
    /// Whether it is the lab's own receiver, which gets the participant's compliance and the end of
    /// the log.
    var isLab: Bool { get }
    /// Whether it also gets the records of days (`DayRecord`), so that what it has is complete without the lab.
    var keepsDayRecords: Bool { get }
    /// Whether it gets answers as trees of results (`ResultTree`) instead of copies of what the study's
    /// server gets.
    var takesResults: Bool { get }
    /// Whether it gets the state of the device itself: battery, uptime, counts (`DeviceSignals`).
    var takesDeviceSignals: Bool { get }
    /// Where `studyd check` can ask whether a server answers, http or https; nil = nowhere.
    var address: String? { get }
    /// Whether it takes only the recordings for which `takes(_:)` is true, and no description files.
    var picksRecordings: Bool { get }
    func takes(_ recording: RecordingDescription) -> Bool
    /// Whether it needs to read the recordings, so that the configuration must not encrypt them.
    var readsRecordings: Bool { get }
    /// A sentence for `studyd check` on whether the server would accept items; nil = nothing to say. Changes
    /// nothing.
    func inspect(by client: HTTPClient, at now: Instant) throws -> String?
    /// What a person has to do soon for this destination; nil = nothing.
    func warning(at now: Instant) -> Explanation?
    /// Prepares for sending: called before the first item, and again after an item that failed. If it throws,
    /// the item is tried again later, with that error as the reason.
    func open(_ client: HTTPClient) throws
    /// Takes one step with an item, with at most one request body. `job` has what earlier steps found out.
    func send(_ job: DeliveryJob, by client: HTTPClient) throws -> DeliveryStep
    /// Called after the last item, and before it is opened again.
    func close(_ client: HTTPClient)
}

extension Destination {
    package func open(_ client: HTTPClient) throws {}
    package func close(_ client: HTTPClient) {}
    package var hasManyServers: Bool { false }
    package var minimumInterval: Duration { .zero }
    package var isLab: Bool { false }
    package var keepsDayRecords: Bool { false }
    package var takesResults: Bool { false }
    package var takesDeviceSignals: Bool { false }
    package var picksRecordings: Bool { false }
    package func takes(_ recording: RecordingDescription) -> Bool { true }
    /// A destination that picks recordings picks by their content.
    package var readsRecordings: Bool { picksRecordings }
    package func inspect(by client: HTTPClient, at now: Instant) throws -> String? { nil }
    package func warning(at now: Instant) -> Explanation? { nil }
    package var address: String? { nil }
    package var recognisesRepeats: Bool { false }
    package var resendsUncertain: Bool { true }
}
