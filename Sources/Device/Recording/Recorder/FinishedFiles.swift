// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// A recorder's files that are written to their end and not sealed yet: each waits for an anchor of
/// this boot, and for a disk that takes it.
struct FinishedFiles {
    private let folder: RecordingFolder
    private let zone: Zone
    /// With its file, until the medium has all of that.
    private var waiting: [(draft: RecordingDescription, rest: SegmentFile?)] = []
    /// What the disk refused last, and when it is asked again: compressing a file takes seconds.
    private var refusal: (fault: FileError, until: MonotonicTime)?
    private static let pause = Duration.seconds(10)

    init(in folder: RecordingFolder, zone: Zone) {
        self.folder = folder
        self.zone = zone
    }

    var count: Int { waiting.count }

    /// The disk refused a file when it was asked last.
    var isRefused: Bool { refusal != nil }

    /// Something of them may be in the journal alone.
    var needsJournal: Bool { waiting.contains { $0.rest != nil } }

    /// It waits to be sealed even if the disk does not take the description now. Until the file is
    /// whole it is described as open, so that the next start looks into the journal.
    mutating func add(_ draft: RecordingDescription, _ file: SegmentFile) throws(FileError) {
        let rest = file.isDurable ? nil : file
        waiting.append((draft, rest))
        if rest == nil { try folder.keep(draft) }
    }

    /// Seals what has an anchor, and what waited for one as soon as it is there. What the disk
    /// refuses is tried again after ten seconds, or when it is the last time; `fault` is the last error.
    mutating func seal(
        _ anchors: [ClockAnchor], at now: MonotonicTime, isLast: Bool
    ) -> (sealed: [SealedRecording], fault: FileError?) {
        var sealed: [SealedRecording] = []
        let pausing = refusal.flatMap { !isLast && now < $0.until ? $0 : nil }
        refusal = pausing
        var left: [(draft: RecordingDescription, rest: SegmentFile?)] = []
        for (draft, file) in waiting {
            var rest = file
            do throws(FileError) {
                if let file {
                    try file.close()
                    rest = nil
                    try folder.keep(draft)
                }
                guard draft.clock == .anchored || !anchors.isEmpty, pausing == nil else {
                    left.append((draft, rest))
                    continue
                }
                sealed.append(try folder.seal(draft, anchors: anchors, zone: zone))
            } catch {
                // A file that fails at each try, before the ten seconds are over, does not put off the others.
                refusal = (error, pausing?.until ?? now + Self.pause)
                left.append((draft, rest))
            }
        }
        waiting = left
        return (sealed, refusal?.fault)
    }
}
