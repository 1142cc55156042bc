// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import SystemKit

/// A recording whose file is here, complete, and what its description says. `LabUploads` and `DeviceFolder`
/// find them; a row of `recordings.csv`.
package struct StudyRecording: Sendable, Hashable {
    package let enrolment: String?
    /// `000001-accelerometer.cwa`
    package let name: String
    /// Where it lies in the lab's or the device's folder.
    package let source: String
    package let bytes: Int64
    /// Checked when it arrived, and not since (`isWhole` does).
    package let sha256: String
    /// Nil where it came without one, or with one that cannot be read.
    package let description: RecordingDescription?
    /// Where the description lies; nil where there is none.
    package let descriptionSource: String?
    /// When its upload began, by the lab's clock; nil = unknown.
    var received: Instant?

    /// Whether its bytes are still those that arrived.
    var isWhole: Bool {
        get throws(FileError) { try FileDigest.sha256(of: File(source, .read)) == sha256 }
    }

    package var start: StudyTime? { time(description?.startDate) }
    package var end: StudyTime? { time(description?.endDate) }
    /// How many seconds before its end it was received.
    var ahead: Double? { end?.ahead(of: received, clockError: description?.clockError) }
    /// Samples that are missing in it and around it, for all reasons.
    package var lost: Int64 { description?.samplesLost.values.reduce(0) { $0 + Int64($1) } ?? 0 }
    /// It holds what a person does, such as presses, so that what is missing cannot be counted.
    package var isOfEvents: Bool { description?.countedUnit == .events }
    /// Recorded beside what is measured all the time: for a task, a spoken answer, or features of it.
    package var isExtra: Bool {
        description?.task != nil || spokenAnswer != nil || isOfFeatures
    }
    /// For the recording of a spoken answer, how the answer names it: `voice:` and an id.
    var spokenAnswer: String? { description.flatMap { $0.identifier.hasPrefix("voice:") ? $0.identifier : nil } }
    /// What the device computed from what it measured.
    package var isOfFeatures: Bool { description?.kind == "features" }
    /// Its path in an exported dataset, below `recordings/`.
    package func place(of participant: Participant) -> String {
        "\(PathName.safe(participant.id))/\(PathName.safe(enrolment ?? "unknown"))/\(PathName.safe(name))"
    }

    package func descriptionPlace(of participant: Participant) -> String {
        let place = place(of: participant)
        return String(place[..<(place.lastIndex(of: "/") ?? place.startIndex)])
            + "/\(PathName.safe(String(name.prefix { $0 != "." }))).json"
    }

    /// The part of what was due that is in it, 0...1; nil where that is unknown. What is missing
    /// behind its last sample counts as due, so this is no share of the time from `start` to `end`.
    package var share: Double? {
        guard let description, !isOfEvents else { return nil }
        let stored = Double(description.samplesStored)
        return stored + Double(lost) == 0 ? 1 : stored / (stored + Double(lost))
    }

    /// The share of the time from `start` to `end` that holds samples, 0...1. Samples that a power cut or a gap
    /// took after the last stored one lie outside that time. Nil where that cannot be told.
    var filled: Double? {
        guard let description, !isOfEvents else { return nil }
        let stored = Double(description.samplesStored)
        let lostAfterEnd = description.gaps.filter { $0.position >= description.samplesStored }
            .reduce(Double(description.samplesLost["\(LossReason.powerCut)"] ?? 0)) { $0 + Double($1.samples) }
        let due = stored + max(0, Double(lost) - max(0, lostAfterEnd))
        return due == 0 ? 1 : stored / due
    }

    private func time(_ text: String?) -> StudyTime? {
        guard let text, let instant = Instant.parsed(text) else { return nil }
        return StudyTime(instant, offset: StudyTime(text)?.offset ?? description?.offset.flatMap(Self.seconds))
    }

    /// `+01:00` in seconds.
    private static func seconds(_ offset: String) -> Int? {
        offset == "Z" ? 0 : StudyTime("1970-01-02T00:00:00" + offset)?.offset
    }
}
