// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Where items go. A `DeliveryRunner` opens it, calls `send` step after step, and closes it, all on the
/// thread of a `DeliveryLane`; the properties never change. What was learnt of a server is kept behind a lock.
package protocol Destination: Sendable {
    /// The name by which items and the configuration refer to it.
    var name: String { get }
    /// The least time between two of its requests.
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

/// An item that is being sent, with what its steps have found out so far.
package struct DeliveryJob: Sendable {
    /// As the outbox has it, with the attempts so far.
    package let item: OutboxItem
    /// What is to be sent: a request's bytes, or a reference to a file.
    package let content: ItemContent
    /// The directory to which paths of files are relative.
    package let directory: String
    /// Where the server keeps what it has so far; nil = nowhere.
    package var location: String?
    /// How much of it the server has; nil = it has to be asked.
    package var offset: Int64?
    /// Bytes that one request should carry at most.
    package var chunk: Int64
    /// Media types of files that are worth compressing on the way.
    package var compressible: Set<String>
    /// The wall clock, for dates in answers.
    package var now: Instant
    /// `study` and `participant` of the item's enrolment; empty where they are not known.
    package var owner: [String: String]

    package init(
        item: OutboxItem, content: ItemContent, directory: String, location: String?, offset: Int64?,
        chunk: Int64 = .max, now: Instant = .epoch, compressible: Set<String> = [], owner: [String: String] = [:]
    ) {
        self.owner = owner
        self.compressible = compressible
        self.chunk = chunk
        self.now = now
        self.item = item
        self.content = content
        self.directory = directory
        self.location = location
        self.offset = offset
    }
}

/// The result of one step. After `located` and `progressed` the runner takes the next step; all others end
/// the item's turn.
package enum DeliveryStep: Sendable, Hashable {
    /// The server made a place for the item, which is kept in the log; nil = the place is gone.
    case located(String?)
    /// How many bytes of the item the server has; nil = it has to be asked.
    case progressed(Int64?)
    /// The item was delivered, refused, is to be retried, or may or may not have arrived.
    case finished(Verdict)
    /// Something other than the server answered; `isPortal` where the whole network is unusable. To
    /// be tried again.
    case foreign(reason: String, isPortal: Bool)
    /// The server asks for a pause, of `wait` at least.
    case later(reason: String, wait: Duration)
    /// The server lacks what this item needs, such as a topic; it takes others.
    case held(reason: String)
    /// The server takes nothing of this device until somebody has done something; asked again after
    /// `wait` at the earliest.
    case blocked(Explanation, wait: Duration)
}
