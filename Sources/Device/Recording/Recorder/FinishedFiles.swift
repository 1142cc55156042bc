// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// The files of a `Recorder` that are written to their end and not sealed yet, which means hashed, described
/// and renamed (`RecordingFolder.seal`): each waits for an anchor of this boot, and for a disk that takes it.
struct FinishedFiles {
    private struct Waiting {
        let draft: RecordingDescription
        /// Its file while the medium does not have all of it; then nil.
        var unsynced: SegmentFile?
        /// What the disk refused last, and when it is asked again: a flush and compressing take seconds.
        var refusal: (fault: FileError, until: MonotonicTime)?
    }

    private let folder: RecordingFolder
    private let zone: Zone
    private var waiting: [Waiting] = []
    private static let retryPause = Duration.seconds(10)

    init(in folder: RecordingFolder, zone: Zone) {
        self.folder = folder
        self.zone = zone
    }

    var count: Int { waiting.count }

    /// The disk refused a file when it was asked last.
    var isRefused: Bool { waiting.contains { $0.refusal != nil } }

    /// Bytes of theirs may be durable in the journal alone, which must then stay.
    var needsJournal: Bool { waiting.contains { $0.unsynced != nil } }

    /// Takes over a file that was closed: it waits to be sealed even if the disk does not take the
    /// description now. Until the file is whole it is described as open, so that the next start looks into
    /// the journal.
    mutating func add(_ draft: RecordingDescription, _ file: SegmentFile) throws(FileError) {
        let unsynced = file.isDurable ? nil : file
        waiting.append(Waiting(draft: draft, unsynced: unsynced))
        if unsynced == nil { try folder.saveDraft(draft) }
    }

    /// Seals what has an anchor, and what waited for one as soon as it is there or is not needed. What the disk
    /// refuses is tried again after ten seconds, or when it is the last time; `fault` is the last error.
    mutating func seal(
        _ anchors: [ClockAnchor], at now: MonotonicTime, isLast: Bool, needsAnchor: Bool
    ) -> (sealed: [SealedRecording], fault: FileError?) {
        var sealed: [SealedRecording] = []
        var left: [Waiting] = []
        for var file in waiting {
            if isLast || file.refusal.map({ now >= $0.until }) ?? true {
                file.refusal = nil
                do throws(FileError) {
                    try complete(&file)
                    if file.draft.clock == .anchored || !anchors.isEmpty || !needsAnchor {
                        sealed.append(try folder.seal(file.draft, anchors: anchors, zone: zone))
                        continue
                    }
                } catch {
                    file.refusal = (error, now + Self.retryPause)
                }
            }
            left.append(file)
        }
        waiting = left
        return (sealed, left.last { $0.refusal != nil }?.refusal?.fault)
    }

    /// Makes all of the file durable, and then describes it as finished.
    private func complete(_ file: inout Waiting) throws(FileError) {
        guard let unsynced = file.unsynced else { return }
        try unsynced.close()
        file.unsynced = nil
        try folder.saveDraft(file.draft)
    }
}
