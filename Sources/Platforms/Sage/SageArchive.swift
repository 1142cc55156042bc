// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// The archive of one run, as Bridge takes it: `metadata.json`, `assessmentResult.json`, a file for each
/// tapping step and recording, and for older exporters `answers.json` and `info.json`. `SageWriter` makes one
/// when a run is submitted.
struct SageArchive: Sendable {
    private struct Entry {
        let name: String
        let content: WireArchive.Content
        /// When a recording or tapping began; when anything else ended (JsonModel-Swift 7b81f569, `FileResult.swift`;
        /// MotorControl-iOS f303936, `TappingResultObject.swift`; BridgeClientKMM 164b771,
        /// `AssessmentArchiveBuilder.swift`).
        let created: Instant
        var identifier: String?
        /// `section/step`, without the task, as in Android's `AssessmentArchiver.kt`.
        var stepPath: String?
        var jsonSchema: String?
        var contentType = "application/json"
        var metadata: JSONText?
    }

    /// Bridge takes no archive with more files.
    static let mostEntries = 100

    let study: SageStudy
    /// When the run was submitted.
    let moment: Instant
    let zone: Zone
    /// The results of the run; `unreadable` are files of the archive that cannot be made, because their
    /// recordings cannot be read: results say so instead.
    let results: @Sendable (_ unreadable: Set<String>) -> SageResults

    private static let goNoGoSchema =
        "https://biaffect.github.io/biaffectsdk/json/schemas/v1/GoNoGoResultObject.json"
    private static let schemas = "https://sage-bionetworks.github.io/mobile-client-json/schemas/"

    /// What is to be packed: the same run always makes the same bytes.
    var parts: WireArchive {
        WireArchive(written: zone.local(moment)) { [self] in entries(of: results($0)) }
    }

    private func entries(of results: SageResults) -> [WireArchive.Entry] {
        var entries = [
            Entry(
                name: "assessmentResult.json", content: .bytes(Self.bytes(results.json)), created: moment,
                identifier: results.task.identifier, jsonSchema: SageResults.assessmentSchema,
                metadata: Self.clock(results.submission))
        ]
        // Before the files that `mostEntries` may cut off, because `info.json` names it.
        if study.writesInfo {
            entries.append(
                Entry(name: "answers.json", content: .bytes(Self.bytes(.object(results.answers))), created: moment))
        }
        for tapping in results.tappings {
            entries.append(
                Entry(
                    name: tapping.name, content: .bytes(Self.bytes(tapping.json)), created: tapping.began,
                    identifier: tapping.step.identifier, stepPath: tapping.step.path,
                    jsonSchema: Self.schemas + "v2/TappingResultObject.json"))
        }
        for (index, test) in results.goNoGos.enumerated() {
            entries.append(
                Entry(
                    name: SageResults.goNoGoName(index), content: .bytes(Self.bytes(test.json)), created: test.ended,
                    identifier: test.identifier, jsonSchema: Self.goNoGoSchema))
        }
        for recording in results.recordings {
            guard let file = recording.file, let part = recording.part(results.presented) else { continue }
            entries.append(
                Entry(
                    name: file.name, content: .recorded(part), created: recording.started,
                    identifier: recording.identifier, stepPath: recording.path, jsonSchema: file.schema,
                    contentType: file.contentType))
        }
        // `info.json` and `metadata.json` are added below.
        entries = Array(entries.prefix(Self.mostEntries - 2))
        var listings: [WireArchive.Entry] = []
        if study.writesInfo { listings.append(.init("info.json", .bytes(Self.bytes(info(entries, results.task))))) }
        listings.append(.init("metadata.json", .bytes(Self.bytes(metadata(entries, results)))))
        return listings + entries.map { .init($0.name, $0.content) }
    }

    /// How far the device's clock may be wrong, in seconds: members of our own, which are allowed because a file's
    /// `metadata` may be anything (JsonModel-Swift 7b81f569, `FileArchivable.swift`).
    private static func clock(_ submission: Submission) -> JSONText {
        .object(
            [.init("clock", .string(submission.clockError == nil ? "unknown" : "anchored"))]
                + (submission.clockError.map { [.init("clockError", .number($0))] } ?? []))
    }

    private static func bytes(_ json: JSONText) -> [UInt8] { Array(json.text.utf8) }

    private func date(_ instant: Instant) -> JSONText { .string(SageDate.text(instant, zone)) }

    /// As `ArchiveMetadata.json` says, with the keys of the schedule that older archives have.
    private func metadata(_ entries: [Entry], _ results: SageResults) -> JSONText {
        let task = results.task
        let files = entries.map { entry in
            JSONText.object([
                "filename": .string(entry.name), "timestamp": date(entry.created),
                "contentType": .string(entry.contentType), "identifier": entry.identifier.map { .string($0) },
                "stepPath": entry.stepPath.map { .string($0) }, "jsonSchema": entry.jsonSchema.map { .string($0) },
                "metadata": entry.metadata,
            ])
        }
        return .object([
            "appName": .string(study.appName), "appVersion": .string(study.appVersion),
            "deviceInfo": .string("studyd, Linux"), "deviceTypeIdentifier": .string("studyd"),
            "taskIdentifier": .string(task.identifier), "taskRunUUID": .string(results.runUUID),
            "versionString": .string(task.versionString),
            "schemaIdentifier": task.schemaIdentifier.isEmpty ? nil : JSONText.string(task.schemaIdentifier),
            "schemaRevision": task.schemaRevision.map { .integer($0) },
            "scheduledOn": results.submission.prompt.map { date($0.due) }, "files": .array(files),
        ])
    }

    /// `info.json`. Bridge's server rejects an archive without it.
    private func info(_ entries: [Entry], _ task: SageTask) -> JSONText {
        let files = entries.map { entry in
            JSONText.object([
                "filename": .string(entry.name), "timestamp": date(entry.created),
                "createdOn": date(entry.created), "contentType": .string(entry.contentType),
            ])
        }
        return .object([
            "files": .array(files),
            "item": .string(task.schemaIdentifier.isEmpty ? task.identifier : task.schemaIdentifier),
            "schemaRevision": .integer(task.schemaRevision ?? 1), "appName": .string(study.appName),
            "appVersion": .string(study.appVersion), "phoneInfo": .string("studyd, Linux"),
            "dataFilename": .string("answers.json"), "format": .string("v2_generic"), "createdOn": date(moment),
        ])
    }
}
