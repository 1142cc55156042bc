// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Platforms
import Study
import SystemKit

/// What `studyd.toml` says (docs/studyd.toml explains each key), read and checked once at start.
package struct AgentConfiguration: Sendable {
    package enum Activity: String, Sendable, CaseIterable {
        /// While the agent runs, enrolled or not.
        case always
        /// While a study is enrolled.
        case enrolled
    }
    package struct Measure: Sendable, Hashable {
        /// What is measured; each kind at most once.
        package let channel: MeasureKind
        /// Samples per second asked of the chip.
        package let rate: Double
        /// False where the file names no rate: a chip that does not have this one is then
        /// asked for its own.
        package var isRateAsked = true
        /// Not measured, and no mistake, on a board that has nothing for it.
        package var isOptional = false
        /// Full scale in the channel's unit; nil = the driver's own choice.
        package let range: Double?
        /// Where on the body the device is worn, as the study calls it:
        /// `left wrist`; nil = not said.
        package var bodyLocation: String?
        /// False: sample by sample, where the chip's FIFO keeps fewer bits than the chip measures.
        package let usesFIFO: Bool
        package let activity: Activity
        /// The file it is written to; not every kind can be written to every format.
        package let format: RecordingFormat
        /// How long a file grows before the next one is begun.
        package let rotation: Duration
        /// A gap of this length ends the file.
        package var longestGap = usualLongestGap
        /// How often levels in one-third-octave bands are written, in seconds; nil = never.
        /// Sound levels only.
        package let thirdOctaves: Int?
        /// Where the file does not say otherwise.
        static let (usualRotation, usualLongestGap) = (Duration.seconds(3600), Duration.seconds(60))

        package init(
            channel: MeasureKind, rate: Double, range: Double?, activity: Activity, format: RecordingFormat,
            rotation: Duration, thirdOctaves: Int? = nil, usesFIFO: Bool = true
        ) {
            (self.channel, self.rate, self.range) = (channel, rate, range)
            (self.activity, self.format, self.rotation) = (activity, format, rotation)
            (self.thirdOctaves, self.usesFIFO) = (thirdOctaves, usesFIFO)
        }
    }

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
    /// Everything but answers is gathered and sent once in this time; zero = it is sent at once.
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
    package var measures: [Measure]

    package init(
        board: String, state: String, zone: String? = nil, destinations: [ConfiguredDestination] = [],
        diskCap: Int64 = 4 << 30, trustsSystemClock: Bool = false, measures: [Measure] = []
    ) {
        (self.board, self.state, self.zone, self.destinations) = (board, state, zone, destinations)
        (self.diskCap, self.trustsSystemClock, self.measures) = (diskCap, trustsSystemClock, measures)
    }

    /// Where a configuration is looked for unless `--config` says otherwise.
    package static let defaultPath = "/etc/studyd/studyd.toml"
    /// The state folder unless the file or `--state` says otherwise: that of the service.
    package static let defaultState = "/var/lib/studyd"

    /// Reads the text of a `studyd.toml`; every complaint names file, key and line.
    package init(parsing text: String, file: String, catalog: DestinationCatalog = .standard) throws {
        let root = try ConfigSource.parse(text, file: file)
        board = try root.required("board", root.string("board"))
        state = try Self.stateFolder(root)
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
        destinations = try ConfiguredDestination.all(root, upload, catalog, besides: platforms.names, state: state)
        let lab = try root.table("report")
        reportEvery = try lab?.duration("every", Self.intervals, "from 1m to 24h") ?? reportEvery
        report = try lab.map(ServerSettings.init(report:))
        digest = try Digest(ofText: text).description
        measures = try root.tables("measure").map(Measure.init)
        features = try root.table("features").map { [measures] in try FeatureSettings($0, of: measures) }
        encryption = try root.table("seal").map(EncryptionSettings.init)
        mqtt = try root.table("mqtt").map { [encryption] in try LiveSettings($0, isEncryptedAtRest: encryption != nil) }
        features?.isPublished = mqtt?.publishes.contains(.features) ?? false
        if let place = try Measure.bodyLocation(root) {
            for index in measures.indices where measures[index].bodyLocation == nil {
                measures[index].bodyLocation = place
            }
        }
        try root.rejectUnknownKeys()
        try check(root)
    }

    /// Refuses a relative path: it would start where a command is run, so that two commands could use two folders.
    private static func stateFolder(_ root: ConfigTable) throws -> String {
        guard let path = try root.string("state") else { return defaultState }
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

extension AgentConfiguration.Measure {
    init(_ table: ConfigTable) throws {
        let kind = try table.required("channel", table.choice("channel", MeasureKind.self))
        guard kind != .features else {
            throw table.error("channel", "features are computed, not measured", remedy: "use the table [features]")
        }
        channel = kind
        let asked = try table.number("rate", in: 0.1...192_000)
        rate = asked ?? Self.defaultRate(of: kind)
        isRateAsked = asked != nil
        isOptional = try table.boolean("optional") ?? false
        range = try table.number("range", in: 0.1...100_000)
        usesFIFO = try table.boolean("fifo") ?? true
        activity = try table.choice("when", AgentConfiguration.Activity.self) ?? .enrolled
        let formatName = try Self.formatName(table, kind)
        format = try table.required("format", RecordingFormats.standard.format(formatName, for: kind))
        rotation =
            try table.duration("rotate", .seconds(10) ... .seconds(86_400), "from 10s to 24h") ?? Self.usualRotation
        bodyLocation = try Self.bodyLocation(table)
        longestGap =
            try table.duration("longest_gap", .seconds(1) ... .seconds(86_400), "from 1s to 24h")
            ?? Self.usualLongestGap
        thirdOctaves = try table.integer("third_octaves", in: 1...10)
        guard thirdOctaves == nil || format == .levels else {
            throw table.error(
                "third_octaves", "\(kind.rawValue) as \(formatName) has no levels", remedy: "remove it")
        }
    }

    /// At `body_location` of a measure, or of the whole file.
    static func bodyLocation(_ table: ConfigTable) throws -> String? {
        guard let text = try table.string("body_location") else { return nil }
        let isPlain = text.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 127 }
        guard !text.isEmpty, text.utf8.count <= 40, isPlain else {
            throw table.error(
                "body_location", "'\(text)' is not a place name of 1 to 40 characters; use e.g. left wrist")
        }
        return text
    }

    private static func formatName(_ table: ConfigTable, _ kind: MeasureKind) throws -> String {
        let (all, own) = (RecordingFormats.standard.names, RecordingFormats.standard.names(for: kind))
        guard let name = try table.string("format") else { return own.first ?? "" }
        guard all.contains(name) else {
            throw table.error("format", "'\(name)' is not one of: \(all.joined(separator: ", "))")
        }
        guard own.contains(name) else {
            let names = own.joined(separator: " or ")
            throw table.error("format", "\(kind.rawValue) is written as \(names), not \(name)")
        }
        return name
    }

    private static func defaultRate(of kind: MeasureKind) -> Double {
        switch kind {
        case .accelerometer, .gyroscope: 100
        case .magnetometer: 20
        case .sound: 16_000
        case .position, .buttons, .features: 1
        }
    }
}
