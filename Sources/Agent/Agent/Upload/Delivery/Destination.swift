// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Where items go. A `DeliveryRunner` opens it, calls `send` step after step, and closes it, all on the
/// thread of its lane; the properties never change. What was learnt of a server is kept behind a lock.
package protocol Destination: Sendable {
    /// As items and the configuration name it.
    var name: String { get }
    /// The least time between two of its requests.
    var minimumInterval: Duration { get }
    /// Whether each item carries its own address, so that another enrolment's items may go
    /// to another server.
    var hasManyServers: Bool { get }
    /// Whether an item with unknown arrival is sent again; else it is kept for a person to decide.
    var resendsUncertain: Bool { get }
    /// Whether the server knows a request again that comes a second time, so that a receipt which a
    /// power cut took costs no more than one request.
    var knowsAgain: Bool { get }
    /// Whether it is the lab's own receiver, which gets the participant's compliance and the end of
    /// the log.
    var isLab: Bool { get }
    /// Whether the records of days (`DayRecord`) go there, so that what it has is enough by itself.
    var keepsDayRecords: Bool { get }
    /// Whether it gets answers as trees of results (`ResultTree`) instead of copies of what the study's
    /// server gets.
    var takesResults: Bool { get }
    /// Whether it gets what the device says of itself (`DeviceSignals`).
    var takesDeviceSignals: Bool { get }
    /// Where `studyd check` can ask whether a server answers, http or https; nil = nowhere.
    var address: String? { get }
    /// Whether it takes only the recordings for which `takes(_:)` is true, and no description files.
    var picksRecordings: Bool { get }
    func takes(_ recording: RecordingDescription) -> Bool
    /// Whether it has to read what recordings hold, so that the configuration may not encrypt them.
    var readsRecordings: Bool { get }
    /// What `studyd check` says beyond the server's answer; nil = nothing. Changes nothing there or here.
    func inspect(by client: HTTPClient, at now: Instant) throws -> String?
    /// What somebody has to do soon; nil = nothing.
    func warning(at now: Instant) -> Explanation?
    /// Makes ready to send: before the first item, and again after one that failed. What it throws
    /// is why the item is tried again later.
    func open(_ client: HTTPClient) throws
    /// Takes one step with an item, at most one body long. The job says what is known of the item
    /// so far.
    func send(_ job: DeliveryJob, by client: HTTPClient) throws -> DeliveryStep
    /// After the last item, and before it is opened again.
    func close(_ client: HTTPClient)
}

extension Destination {
    package func open(_ client: HTTPClient) throws {}
    package func close(_ client: HTTPClient) {}
    /// False: one server for all.
    package var hasManyServers: Bool { false }
    /// None: requests may follow each other at once.
    package var minimumInterval: Duration { .zero }
    /// False: it belongs to a platform or to a third party.
    package var isLab: Bool { false }
    /// False: it does something with what comes.
    package var keepsDayRecords: Bool { false }
    /// False: the bytes that were made for the study's server.
    package var takesResults: Bool { false }
    /// False: only what the participant's study is about.
    package var takesDeviceSignals: Bool { false }
    /// False: files, whatever is in them.
    package var picksRecordings: Bool { false }
    package func takes(_ recording: RecordingDescription) -> Bool { true }
    /// One that picks recordings picks by what they hold.
    package var readsRecordings: Bool { picksRecordings }
    package func inspect(by client: HTTPClient, at now: Instant) throws -> String? { nil }
    package func warning(at now: Instant) -> Explanation? { nil }
    /// Nil: it is no server.
    package var address: String? { nil }
    /// False: what comes twice may be kept twice.
    package var knowsAgain: Bool { false }
    /// True: nothing is lost, and what comes twice is known again.
    package var resendsUncertain: Bool { true }
}

/// An item on its way.
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
    /// `study` and `participant` of the enrolment that it is of; empty where that is not known.
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

/// What one step came to.
package enum DeliveryStep: Sendable, Hashable {
    /// The server made a place for it; nil = the place is gone. Kept, and then the next step.
    case located(String?)
    /// How many bytes of it the server has; nil = it has to be asked. Then the next step.
    case progressed(Int64?)
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
