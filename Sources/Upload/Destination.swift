// SPDX-License-Identifier: Apache-2.0
import Store
import StudyModel
import Times

/// Where items go. One file in `Destinations/`, and one line in `DestinationCatalog`.
///
/// A destination is a value without memory: what it has to know stands in the job.
public protocol Destination: Sendable {
    /// As items and the configuration name it.
    var name: String { get }
    /// The least time between two of its requests.
    var minimumInterval: Duration { get }
    /// Whether each item carries its own address, so that another enrolment's items may go to another server.
    var hasManyServers: Bool { get }
    /// Whether an item of which nobody knows if it arrived is sent again; else it is kept for a person to decide.
    var resendsUncertain: Bool { get }
    /// Takes one step with an item, at most one body long, on the uploader's thread.
    func step(_ job: DeliveryJob, by client: HTTPClient) throws -> DeliveryStep
}

extension Destination {
    /// False: one server for all.
    public var hasManyServers: Bool { false }
    /// True: nothing is lost, and what comes twice is known again.
    public var resendsUncertain: Bool { true }
}

/// An item on its way.
public struct DeliveryJob: Sendable {
    /// As the outbox has it, with the attempts so far.
    public let item: OutboxItem
    /// What is to be sent: a request's bytes, or a reference to a file.
    public let content: ItemContent
    /// The directory to which paths of files are relative.
    public let directory: String
    /// Where the server keeps what it has so far; nil = nowhere.
    public var location: String?
    /// How much of it the server has; nil = it has to be asked.
    public var offset: Int64?
    /// Bytes that one request should carry at most.
    public var chunk: Int64
    /// The wall clock, for dates in answers.
    public var now: Instant

    public init(
        item: OutboxItem, content: ItemContent, directory: String, location: String?, offset: Int64?,
        chunk: Int64 = .max, now: Instant = .epoch
    ) {
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
public enum DeliveryStep: Sendable, Hashable {
    /// The server made a place for it; nil = the place is gone. Kept, and then the next step.
    case located(String?)
    /// The server has so much of it; nil = it has to be asked. Then the next step.
    case progressed(Int64?)
    case finished(Verdict)
    /// Somebody else than the server answered; `isPortal` where the whole network is as good as none. To be tried again.
    case foreign(reason: String, isPortal: Bool)
    /// The server asks to be left alone for so long.
    case later(reason: String, wait: Duration)
}

/// What the configuration says about a destination.
public struct DestinationSettings: Sendable {
    /// What items name as their destination; unique on the device.
    public let name: String
    /// Absolute address at which files are created; empty for a study's server, whose requests carry their own.
    public let url: String
    /// Sent with every request: tokens, keys.
    public let headers: [WireRequest.Header]
    /// Least pause after an item before the next one is sent; zero = none. The kind `tus` has none.
    public let minimumInterval: Duration
    /// What the study's server's answers mean; nil for a destination of files.
    public let wire: (any StudyWire)?
    /// See `Destination.resendsUncertain`.
    public let resendsUncertain: Bool

    public init(
        name: String, url: String, headers: [WireRequest.Header] = [], minimumInterval: Duration = .zero,
        wire: (any StudyWire)? = nil, resendsUncertain: Bool = true
    ) {
        self.resendsUncertain = resendsUncertain
        self.name = name
        self.url = url
        self.headers = headers
        self.minimumInterval = minimumInterval
        self.wire = wire
    }
}

/// The kinds of destinations a configuration may name: one line each.
public enum DestinationCatalog {
    /// Makes a destination, nil where the settings lack what it needs.
    public typealias Maker = @Sendable (DestinationSettings) -> (any Destination)?

    /// By the name of the kind.
    public static let kinds: [String: Maker] = [
        "study": { settings in
            settings.wire.map {
                HTTPDestination(
                    name: settings.name, wire: $0, minimumInterval: settings.minimumInterval,
                    resendsUncertain: settings.resendsUncertain)
            }
        },
        "tus": { TusDestination(name: $0.name, endpoint: $0.url, headers: $0.headers) },
    ]
}
