// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Glibc
import Study
import SystemKit

/// Puts sealed (finished) recordings into the event log and, with their descriptions, into the outbox. Used by
/// `StudyCommit.registered`, which `EffectRunner` calls, and by `UnloggedFile`.
struct RecordingRegistration: Sendable {
    /// None = recordings stay on the device.
    let routes: DeliveryRoutes
    /// Whose recordings they are, for the descriptions and items; all three nil = no enrolment's.
    let participant: String?
    let study: String?
    let enrolment: String?
    /// When the participant enrolled, RFC 3339; nil while that is not known.
    var enrolled: String?
    /// The study's own server as a destination, and for each recording that it takes, by number, the
    /// metadata that are sent with it.
    var server: String?
    var fields: [Int: [String: String]] = [:]

    /// The number as the log writes it.
    static func id(_ recording: SealedRecording) -> String { String(recording.number) }

    func commit(_ recordings: [SealedRecording]) -> StudyCommit {
        var commit = StudyCommit()
        for recording in recordings {
            let record = record(recording)
            commit.events.append(.recordingSealed(recording: record))
            let destinations = routes.recordings(recording.description)
            if !destinations.isEmpty { commit.drafts += drafts(recording, record, to: destinations, &commit.events) }
            if let server, let fields = fields[recording.number] {
                commit.drafts.append(
                    serverDraft(
                        record, recording.description.age?.contentType ?? recording.description.contentType, to: server,
                        fields))
            }
        }
        return commit
    }

    private func record(_ sealed: SealedRecording) -> RecordingRecord {
        let description = sealed.description
        return RecordingRecord(
            id: Self.id(sealed), itemClass: itemClass(sealed), measure: description.kind,
            path: description.relativePath,
            descriptionPath: fileName(sealed.descriptionPath), sha256: sealed.sha256, bytes: Int64(sealed.bytes),
            start: description.startDate.flatMap { try? Instant(rfc3339: $0) },
            end: description.endDate.flatMap { try? Instant(rfc3339: $0) }, stored: Int64(description.sourceStored),
            lost: description.sourceLost.mapValues(Int64.init), boot: description.bootID, from: description.begun,
            to: description.end,
            rate: description.countedUnit == .samples ? description.sourceRate : nil,
            isExtra: description.isExtra ? true : nil)
    }

    /// Two files: the recording, and its description, which is sent after it.
    private func drafts(
        _ sealed: SealedRecording, _ record: RecordingRecord, to destinations: [String], _ events: inout [StudyEvent]
    ) -> [OutboxDraft] {
        var metadata = ["measure": record.measure, "identifier": sealed.description.identifier]
        metadata["participant"] = participant
        metadata["study"] = study
        metadata["enrolment"] = enrolment
        metadata["enrolled"] = enrolled
        metadata["task"] = sealed.description.task?.task
        metadata["run"] = sealed.description.task?.run
        let file = FileReference(
            path: record.path, sha256: record.sha256, bytes: record.bytes,
            contentType: sealed.description.contentType, recording: record.id, metadata: metadata)
        let isDescribed = destinations.contains(where: routes.takesDescriptions)
        let description = isDescribed ? described(sealed, record, metadata, &events) : nil
        return destinations.flatMap { destination in
            [file, routes.takesDescriptions(destination) ? description : nil].compactMap(\.self).map {
                OutboxDraft(
                    origin: "recording \(record.id)", itemClass: record.itemClass, destination: destination,
                    content: .file($0))
            }
        }
    }

    /// The description from the disk. If it cannot be read, it is queued as it was sealed and waits
    /// for the disk; a row records it.
    private func described(
        _ sealed: SealedRecording, _ record: RecordingRecord, _ metadata: [String: String],
        _ events: inout [StudyEvent]
    ) -> FileReference? {
        func fault(_ error: any Error) {
            let message = "the description of recording \(record.id) cannot be read: \(error)"
            events.append(.fault(place: "recording", message: message))
        }
        do {
            let bytes: [UInt8]
            do { bytes = try BoundedFile.read(sealed.descriptionPath) } catch {
                fault(error)
                bytes = try sealed.description.text()
            }
            return FileReference(
                path: record.descriptionPath, sha256: try Digest(of: bytes).description, bytes: Int64(bytes.count),
                contentType: "application/json", recording: record.id, metadata: metadata)
        } catch {
            fault(error)
            return nil
        }
    }

    /// For the study's own server, which gets the file after the answers that it belongs to.
    private func serverDraft(
        _ record: RecordingRecord, _ contentType: String, to server: String, _ fields: [String: String]
    ) -> OutboxDraft {
        OutboxDraft(
            origin: "file \(record.id)", itemClass: .answers, destination: server,
            content: .file(
                FileReference(
                    path: record.path, sha256: record.sha256, bytes: record.bytes, contentType: contentType,
                    recording: record.id, metadata: fields)), followsAnswers: true)
    }

    private func itemClass(_ sealed: SealedRecording) -> ItemClass {
        if sealed.memo != nil { return .answers }
        return switch sealed.kind {
        case .accelerometer, .gyroscope, .magnetometer, .features: .motion
        case .position: .position
        case .sound: .sound
        case .buttons, nil: .events
        }
    }

    private func fileName(_ path: String) -> String { String(path.split(separator: "/").last ?? "") }
}

extension EnrolmentRecord {
    /// When it was, RFC 3339 at the offset of the participant's wall clock; nil until it is certain.
    var certainDate: String? {
        guard undated == nil else { return nil }
        let offset = (local.instant(offset: 0) - instant).seconds
        return local.text(fractionDigits: 0, offsetMinutes: Int(offset) / 60)
    }
}

extension StudyCommit {
    /// The same with rows and items in place of the files, by their descriptions on the disk, and
    /// with copies of the answers for the other destinations.
    func registered(to routes: DeliveryRoutes) -> StudyCommit {
        var commit = self
        commit.files = []
        commit.drafts += drafts.filter { $0.itemClass == .answers }.flatMap { draft in
            routes.answers.map {
                OutboxDraft(origin: draft.origin, itemClass: .answers, destination: $0, content: draft.content)
            }
        }
        commit.drafts += results.flatMap { entry in routes.results.map { entry.draft(to: $0) } }
        for files in files {
            let registration = RecordingRegistration(
                routes: files.isToBeSent ? routes : DeliveryRoutes(), participant: files.owner?.participant,
                study: files.owner?.studyID, enrolment: files.owner?.id,
                enrolled: files.owner?.certainDate, server: files.isToBeSent ? files.server : nil, fields: files.fields)
            commit.add(registration.commit(files.recordings))
            guard files.isRemoved else { continue }
            commit.events += files.recordings.map {
                .recordingRemoved(recording: RecordingRegistration.id($0), reason: .withdrawal)
            }
        }
        return commit
    }
}

extension RecordingFolder {
    /// Takes a recording that belongs to no answer off the disk.
    func discard(_ recording: SealedRecording) {
        unlink(recording.path)
        unlink(recording.descriptionPath)
    }

    func openBoots() throws -> Set<String> {
        var boots: Set<String> = []
        for name in try folder.names(where: { $0.hasSuffix(".open") }) {
            let description = try? RecordingDescription(json: folder.contents(of: name), path: name)
            if let description { boots.insert(description.bootID) }
        }
        return boots
    }
}
