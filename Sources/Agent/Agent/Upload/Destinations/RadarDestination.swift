// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Study
import SystemKit

/// A RADAR-base platform (https://radar-base.org): records of Apache Kafka's topics through its gateway
/// (RADAR-Gateway 0.9, ManagementPortal 2 and 3).
///
/// Submitted answers go as its questionnaire records, rows of tables (features, sound levels, magnetic
/// field) and positions as records of the topics that the table names; each is written by the schema
/// that the platform's registry has for it. What has no topic goes as a file to the platform's upload
/// backend (radar-upload-source-connector 0.6) where a source type of it is named, and else nowhere.
/// Kafka may get a record twice after a lost answer: both have the same source and `time`.
package struct RadarDestination: DestinationKind {
    package static let kind = "radar"
    package static let takes = DestinationIntake.both
    package static let keys =
        ServerSettings.keys.filter { $0.name != "token" } + [
            DestinationKey("enrolment", .secret), DestinationKey("client_id", .text),
            DestinationKey("client_secret", .secret), DestinationKey("source_producer", .text),
            DestinationKey("source_model", .text), DestinationKey("source_version", .text),
            DestinationKey("source_id", .text), DestinationKey("format", .text),
            DestinationKey("upload_source_type", .text), DestinationKey("upload_url", .address),
        ] + kinds.map { DestinationKey($0 + "_topic", .text) }

    static let answers = "answers"
    /// What a topic can be named for: answers, and recordings by measure and by stream of features.
    private static let kinds = [
        answers, "battery", "uptime", "time_zone", "record_counts", "features", "sound_features", "position_features",
        "sound", "magnetometer", "position",
    ]

    /// The kinds of records about the device itself.
    static let signals: Set<String> = ["battery", "uptime", "time_zone", "record_counts"]

    package let name: String
    package var address: String? { server.settings.url }
    /// True: records are made of what was answered and when, not of requests to the study's server.
    package let takesResults = true
    /// True: recordings that have a topic; with `backend` all others, too, as files.
    package let picksRecordings = true
    package var readsRecordings: Bool { topics.keys.contains(where: Self.isMeasured) }
    package var takesDeviceSignals: Bool { topics.keys.contains(where: Self.signals.contains) }
    private let settings: ServerSettings
    private let server: RadarServer
    private let encoding: RadarEncoding
    private let topics: [String: String]
    /// Keeps the file whose rows are being sent open between two steps.
    private let reading = RadarReading()
    /// Where recordings without a topic go; nil = nowhere.
    private let backend: RadarUpload.Backend?

    package init(_ settings: DestinationSettings) throws(DestinationSettingError) {
        name = settings.name
        self.settings = try ServerSettings(settings)
        var topics = settings.takes.hasAnswers ? [Self.answers: "questionnaire_response"] : [:]
        for kind in Self.kinds {
            guard let topic = settings.text(kind + "_topic") else { continue }
            // Digits, letters, `-`, `.` and `_`, in ASCII.
            let isPlain = topic.utf8.allSatisfy { byte in
                (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
                    || [45, 46, 95].contains(byte)
            }
            guard isPlain, (1...249).contains(topic.utf8.count) else {
                throw DestinationSettingError(
                    key: kind + "_topic", cause: "'\(topic)' is no topic of Kafka",
                    remedy: "use letters, digits, '.', '_' and '-'")
            }
            topics[kind] = topic
        }
        self.topics = topics
        backend = Self.backend(settings, self.settings)
        guard !settings.takes.hasRecordings || backend != nil || topics.keys.contains(where: Self.isMeasured) else {
            throw DestinationSettingError(
                key: "takes", cause: "no topic is named for any recording",
                remedy: "name one, such as features_topic, or upload_source_type, or write takes = \"answers\"")
        }
        let format = settings.text("format") ?? "binary"
        guard ["binary", "json"].contains(format) else {
            throw DestinationSettingError(
                key: "format", cause: "'\(format)' is unknown", remedy: "write 'binary' or 'json'")
        }
        encoding = RadarEncoding(isBinary: format == "binary")
        server = RadarServer(try Self.server(settings, self.settings))
    }

    /// Beside ManagementPortal and gateway, unless it is elsewhere.
    private static func backend(_ settings: DestinationSettings, _ web: ServerSettings) -> RadarUpload.Backend? {
        guard settings.takes.hasRecordings, let type = settings.text("upload_source_type"), !type.isEmpty else {
            return nil
        }
        let url = settings.text("upload_url") ?? base(web.url) + "/upload/api"
        return RadarUpload.Backend(url: url.hasSuffix("/") ? String(url.dropLast()) : url, sourceType: type)
    }

    private static func isMeasured(_ kind: String) -> Bool { kind != answers && !signals.contains(kind) }

    private static func server(
        _ settings: DestinationSettings, _ web: ServerSettings
    ) throws(DestinationSettingError) -> RadarServer.Settings {
        let source = settings.text("source_id")
        return RadarServer.Settings(
            url: base(web.url), codeFile: try settings.required("enrolment"),
            clientID: try settings.required("client_id"),
            clientSecret: settings.text("client_secret"),
            producer: source == nil ? try settings.required("source_producer") : nil,
            model: source == nil ? try settings.required("source_model") : nil,
            catalogVersion: settings.text("source_version"), source: source,
            pairingsFile: "\(settings.folder)/\(settings.name).json", limits: web.limits)
    }

    /// The platform's address without ManagementPortal's own path, which `url` may have.
    private static func base(_ url: String) -> String {
        let plain = url.hasSuffix("/") ? String(url.dropLast()) : url
        return plain.hasSuffix("/managementportal") ? String(plain.dropLast("/managementportal".count)) : plain
    }

    package func takes(_ recording: RecordingDescription) -> Bool {
        // Records are made of a file's rows: an encrypted file cannot be read here, and sound has no rows.
        let isReadable = recording.age == nil && recording.format != "flac"
        return backend != nil
            || isReadable
                && hasTopic(recording.kind, recording.identifier, isOfTask: recording.task != nil)
    }

    /// Whether a topic is named for a recording. Those of tasks have none: they lie beside the continuous ones.
    private func hasTopic(_ kind: String, _ identifier: String, isOfTask: Bool) -> Bool {
        !isOfTask && topics[kind == "features" ? identifier : kind] != nil
    }

    private func hasTopic(_ file: FileReference) -> Bool {
        ![FLACWriter.contentType, RecordingDescription.AgeNote.contentType].contains(file.contentType)
            && hasTopic(
                file.metadata["measure"] ?? "", file.metadata["identifier"] ?? "",
                isOfTask: file.metadata["task"] != nil)
    }

    package func open(_ client: HTTPClient) throws {
        try settings.open(client)
        try server.open()
    }

    package func send(_ job: DeliveryJob, by client: HTTPClient) throws -> DeliveryStep {
        do {
            // The file stays open while its rows go on (`RadarReading`).
            var hasMoreSteps = false
            defer { if !hasMoreSteps { reading.close() } }
            if let backend, case .file(let file) = job.content, !hasTopic(file) {
                var upload = try RadarUpload(job, to: backend, of: server, by: client)
                return try upload.step()
            }
            let step = try RadarDelivery(
                job, to: server, as: encoding, topics: topics, reading: reading, by: client
            ).step()
            switch step {
            case .located, .progressed: hasMoreSteps = true
            case .finished, .foreign, .later, .held, .blocked: break
            }
            return step
        } catch let stop as RadarStop {
            return stop.step
        } catch let unusable as UnusablePayload {
            return .finished(.refused(reason: unusable.reason))
        }
    }

    package func warning(at now: Instant) -> Explanation? { server.warning(at: now) }

    /// Which participant it sends for until when, and whether its topics and source type exist. Changes
    /// nothing.
    package func inspect(by client: HTTPClient, at now: Instant) throws -> String? {
        try open(client)
        // A check has ten seconds.
        var brief = server.settings
        (brief.limits.connect, brief.limits.total) = (.seconds(2), .seconds(2))
        let registry = RadarServer(brief)
        for topic in Set(topics.values).sorted() { _ = try registry.topic(topic, at: now, by: client) }
        try backend?.inspect(registry, by: client)
        let files = backend.map { ", source type '\($0.sourceType)' for files" } ?? ""
        return "\(Plural.of(Set(topics.values).count, "topic"))\(files) there; \(try server.pairingSummary())"
    }
}
