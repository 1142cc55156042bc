// SPDX-License-Identifier: Apache-2.0
import Base
import PlatformKit
import Study

/// Turns a submitted run into one archive, which is posted as it is, or encrypted to the study's certificate.
/// `EventEncoder` calls it.
///
/// The archive is built once, when the run is submitted, and kept: a retry sends the same bytes, which
/// Bridge recognises by their digest.
package struct SageWriter: ReportWriter {
    let study: SageStudy
    /// By the keys of their tasks.
    let tasks: [String: SageTask]

    /// Recordings are sent within the archive.
    package var sendsRecorded: Bool { true }

    package var recipient: String? { study.certificate }

    /// One request for each run; nothing else is sent.
    package func requests(for report: Report, at now: Instant, in context: WireContext) -> [WireRequest] {
        guard case .submitted(let submission) = report, let task = context.study.task(submission.task),
            let source = tasks[submission.task]
        else { return [] }
        let runUUID = Self.runUUID(submission, of: context.enrolment)
        let isEncrypted = study.certificate != nil
        var request = WireRequest(
            method: "POST", url: context.address,
            headers: [
                .init(name: "Content-Type", value: isEncrypted ? "application/pkcs7-mime" : "application/zip"),
                .init(
                    name: BridgeDelivery.participantHeader, value: Self.headerText(context.enrolment.participant.text)),
                .init(name: "X-Task-Run", value: runUUID),
            ] + bridgeHeaders("\(source.identifier)-\(runUUID).zip", of: source, in: context), body: [])
        request.archive =
            SageArchive(study: study, moment: submission.submitted, zone: context.zone) { [zone = context.zone] in
                SageResults(submission, of: task, source, runUUID: runUUID, zone: zone, unreadable: $0)
            }.parts
        request.recipient = study.certificate
        return [request]
    }

    /// An address that was given at the enrolment takes the archive in one POST,
    /// whatever the study says.
    private func bridgeHeaders(_ name: String, of task: SageTask, in context: WireContext) -> [WireRequest.Header] {
        guard context.postURL == nil, let app = study.bridgeApp else { return [] }
        // By the keys of BridgeServer2's `TimelineMetadata.asMap`.
        let metadata =
            task.assessment.map {
                [
                    ("assessmentGuid", $0.guid), ("assessmentId", task.identifier),
                    ("assessmentRevision", String($0.revision)),
                ]
            } ?? []
        return [
            .init(name: BridgeDelivery.appHeader, value: Self.headerText(app)),
            .init(name: BridgeDelivery.nameHeader, value: Self.headerText(name)),
            .init(name: BridgeDelivery.encryptedHeader, value: study.certificate == nil ? "false" : "true"),
        ]
            + metadata.map { key, value in
                WireRequest.Header(name: BridgeDelivery.metadataPrefix + key, value: Self.headerText(value))
            }
    }

    private static func headerText(_ text: String) -> String {
        String(text.unicodeScalars.filter { $0.isASCII && $0.value >= 32 && $0.value != 127 }.map(Character.init))
    }

    /// The same each time for one run and different for any other: a UUID of version 8 (RFC 9562).
    private static func runUUID(_ submission: Submission, of enrolment: Enrolment) -> String {
        let text = "\(enrolment.id)/\(submission.task)/\(submission.course?.id ?? "")/\(submission.run)"
        var generator = SplitMix64(seed: FNV1a.hash(enrolment.seed + Array(text.utf8)))
        var bytes = (0..<2).flatMap { _ in
            let number = generator.next()
            return (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
        }
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        let hex = bytes.map { $0.padded(2, radix: 16) }.joined().uppercased()
        let ends = [0, 8, 12, 16, 20, 32]
        return zip(ends, ends.dropFirst()).map { hex.dropFirst($0).prefix($1 - $0) }.joined(separator: "-")
    }

    /// Every answer by its step's path, as in `answers.json`, except that lists stay lists.
    package func answers(_ submission: Submission, in context: WireContext) -> JSONText {
        guard let task = tasks[submission.task] else { return .object([]) }
        return .object(
            submission.order.compactMap { key in
                guard let step = task.steps[key],
                    let field = step.field ?? (step.kind == .base ? nil : SageField(.object))
                else { return nil }
                return .init(key, SageAnswer(submission.answers[key], to: field, of: submission.answers).value ?? .null)
            })
    }
}
