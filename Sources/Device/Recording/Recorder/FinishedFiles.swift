// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// A recorder's files that are written to their end and not sealed yet: each waits for an anchor of
/// this boot, and for a disk that takes it.
struct FinishedFiles {
    private let folder: RecordingFolder
    private let zone: Zone
    private var waiting: [RecordingDescription] = []

    init(in folder: RecordingFolder, zone: Zone) {
        self.folder = folder
        self.zone = zone
    }

    var count: Int { waiting.count }

    /// It is sealed, too, where the disk does not take the description now.
    mutating func add(_ draft: RecordingDescription) throws(FileError) {
        waiting.append(draft)
        try folder.keep(draft)
    }

    /// Seals what has an anchor, and what waited for one as soon as it is there. What the disk
    /// refuses is tried again; `fault` is its last word.
    mutating func seal(_ anchors: [ClockAnchor]) -> (sealed: [SealedRecording], fault: FileError?) {
        var sealed: [SealedRecording] = []
        var fault: FileError?
        var left: [RecordingDescription] = []
        for draft in waiting {
            guard draft.clock == .anchored || !anchors.isEmpty else {
                left.append(draft)
                continue
            }
            do throws(FileError) {
                sealed.append(try folder.seal(draft, anchors: anchors, zone: zone))
            } catch {
                fault = error
                left.append(draft)
            }
        }
        waiting = left
        return (sealed, fault)
    }
}
