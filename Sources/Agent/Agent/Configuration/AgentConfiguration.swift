// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Platforms
import Study
import SystemKit

/// What `studyd.toml` says (docs/studyd.toml explains each key), read and checked once at start.
package struct AgentConfiguration: Sendable {
    /// The board file; relative to the configuration file.
    package var board: String
    /// Where the store, the recordings and the cache lie: an absolute path, unless `--state` names another.
    package var state: String
    /// The zone of the participant's wall clock; nil = the system's.
    package var zone: String?
    package var speech = SpeechSettings()
    /// Where answers and recordings go in addition to the study's server; without a destination
    /// recordings stay on the device.
    package var destinations: [ConfiguredDestination]
    /// The lab's receiver, which gets reports; nil = none are sent.
    package var report: ServerSettings?
    /// The broker for live views; nil = nothing is published.
    package var mqtt: LiveSettings?
    /// From one report to the next, where nothing changes.
    package var reportEvery = Duration.seconds(3600)
    /// SHA-256 of the file, in hexadecimal; nil without one.
    package var digest: String?
    /// How long the bytes of a delivered answer are kept, so that it can be sent again.
    package var keepAnswers = Duration.seconds(7 * 86_400)
    /// Everything but answers and the end of an enrolment is gathered and sent once in this time; zero = it is sent
    /// at once.
    package var uploadEvery = Duration.zero
    /// An address of the lab's receiver; nil = there is none.
    var labAddress: String? { destinations.first { $0.destination.isLab }?.destination.address ?? report?.url }
    /// Most bytes of recordings on the disk.
    package var diskCap: Int64
    /// The configuration declares the system's clock trusted where neither kernel nor RTC does.
    package var trustsSystemClock: Bool
    package var platforms = PlatformCatalog.standard
    /// A receiver's time is believed where neither kernel nor configuration trusts the clock; the
    /// receiver is read for it even where position is not measured.
    package var listensToGPS = true
    /// Prompts come while the clock's largest expected error is below this.
    package var promptsWithin = Duration.seconds(300)
    /// The longest that the participant may pause the sensors; nil = not at all.
    package var pause: Duration?
    /// The receiver's time sets the system's clock, too.
    package var setsSystemClock = false
    /// `[seal]`: to whom what is recorded is encrypted; nil = it lies in the clear.
    package var encryption: EncryptionSettings?
    /// What is computed from what is measured, while it is recorded; nil = nothing.
    package var features: FeatureSettings?
    /// In the order of the file; empty = nothing is recorded but what answers bring.
    package var measures: [ConfiguredMeasure]

    package init(
        board: String, state: String, zone: String? = nil, destinations: [ConfiguredDestination] = [],
        diskCap: Int64 = 4 << 30, trustsSystemClock: Bool = false, measures: [ConfiguredMeasure] = []
    ) {
        (self.board, self.state, self.zone, self.destinations) = (board, state, zone, destinations)
        (self.diskCap, self.trustsSystemClock, self.measures) = (diskCap, trustsSystemClock, measures)
    }

    /// Where a configuration is looked for unless `--config` says otherwise.
    package static let defaultPath = "/etc/studyd/studyd.toml"
    /// The state folder unless the file or `--state` says otherwise: that of the service.
    package static let defaultState = "/var/lib/studyd"

    /// Reads the text of a `studyd.toml`; every complaint names file, key and line. `state` overrides the file's
    /// state folder, as `--state` does, which the unit of the service gives.
    package init(
        parsing text: String, file: String, state: String? = nil, catalog: DestinationCatalog = .standard
    ) throws {
        let root = try ConfigSource.parse(text, file: file)
        board = try root.required("board", root.string("board"))
        self.state = try Self.stateFolder(root, or: state)
        zone = try root.string("zone")
        speech = try SpeechSettings(root.table("speech"))
        let upload = try root.table("upload")
        keepAnswers =
            try upload?.duration("keep_answers", .zero ... .seconds(366 * 86_400), "from 0s to 366d") ?? keepAnswers
        uploadEvery =
            try upload?.duration("every", Self.intervals, "from 1m to 24h, or 0s", orZero: true) ?? uploadEvery
        let gibibytes = try root.table("disk").map { try $0.number("cap_gib", in: 0.01...4096) ?? 4 } ?? 4
        diskCap = Int64(gibibytes * 1_073_741_824)
        let clock = try root.table("clock")
        trustsSystemClock = try clock?.boolean("trust_system") ?? false
        listensToGPS = try clock?.boolean("gps") ?? true
        setsSystemClock = try clock?.boolean("set_system") ?? false
        promptsWithin =
            try clock?.duration("prompts_within", .seconds(1) ... .seconds(86_400), "from 1s to 24h") ?? promptsWithin
        pause = try root.table("privacy")?.duration("pause", Self.intervals, "from 1m to 24h")
        platforms = try PlatformCatalog(PlatformCatalog.kinds) { try root.table($0) }
        destinations = try ConfiguredDestination.all(root, upload, catalog, besides: platforms.names, state: self.state)
        let lab = try root.table("report")
        reportEvery = try lab?.duration("every", Self.intervals, "from 1m to 24h") ?? reportEvery
        report = try lab.map(ServerSettings.init(report:))
        digest = try Digest(ofText: text).description
        measures = try root.tables("measure").map(ConfiguredMeasure.init)
        features = try root.table("features").map { [measures] in try FeatureSettings($0, of: measures) }
        encryption = try root.table("seal").map(EncryptionSettings.init)
        mqtt = try root.table("mqtt").map { [encryption] in try LiveSettings($0, isEncryptedAtRest: encryption != nil) }
        features?.isPublished = mqtt?.publishes.contains(.features) ?? false
        if let place = try ConfiguredMeasure.bodyLocation(root) {
            for index in measures.indices where measures[index].bodyLocation == nil {
                measures[index].bodyLocation = place
            }
        }
        try root.rejectUnknownKeys()
        try check(root)
    }

    /// Refuses a relative path: it would start where a command is run, so that two commands could use two folders.
    private static func stateFolder(_ root: ConfigTable, or given: String?) throws -> String {
        let inFile = try root.string("state")
        if let given { return given }
        guard let path = inFile else { return defaultState }
        guard path.hasPrefix("/") else {
            throw root.error("state", "'\(path)' is a relative path", remedy: "write it absolute, e.g. \(defaultState)")
        }
        return path
    }

    private static let intervals = Duration.seconds(60) ... .seconds(86_400)

    private func check(_ root: ConfigTable) throws {
        for (index, measure) in measures.enumerated()
        where measures[..<index].contains(where: { $0.channel == measure.channel }) {
            throw root.error(
                "measure[\(index)].channel", "'\(measure.channel.rawValue)' is measured twice",
                remedy: "remove one of the tables")
        }
        if features?.names.isEmpty == true {
            throw root.error(
                "features",
                "features are computed from acceleration, sound levels and positions, none of which is measured",
                remedy: "add a [[measure]] with channel = \"accelerometer\", or remove [features]")
        }
        if encryption != nil,
            let one = destinations.first(where: { $0.takes.hasRecordings && $0.destination.readsRecordings })
        {
            throw root.error(
                "seal",
                "destination '\(one.destination.name)' reads recordings, and sealed ones the device cannot read",
                remedy: "let that destination take answers only, or remove [seal]")
        }
        do { _ = try SystemZone.load(zone) } catch {
            throw root.error("zone", "\(error)", remedy: SystemZone.remedy(zone))
        }
    }
}
