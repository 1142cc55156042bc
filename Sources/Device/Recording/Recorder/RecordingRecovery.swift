// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// What a start found of files that a power cut or a crash left open; the agent's `Recovery` asks for it.
package struct RecordingRecovery: Sendable {
    /// Files that were cut back to their last whole unit, sealed and marked.
    package var sealed: [SealedRecording] = []
    /// Files of this boot that still wait for its first anchor: give them to `sealWaiting`.
    package var waiting: [RecordingDescription] = []
    /// Files in which there was nothing to keep, and which were removed.
    package var removed: [String] = []
    /// The descriptions with which those were begun, with the most that they can have lost.
    package var removedDrafts: [RecordingDescription] = []
    /// Files that could not be read or sealed; they are left as they are.
    package var faults: [FileError] = []
}

extension RecordingFolder {
    /// Puts in order at start what an earlier run left: `.open` (a recording's draft) and `.partial` (its data),
    /// which exist until it is sealed, and `.tmp`, a write that did not end. Journals (`RecordingJournal`) hold
    /// what perhaps never reached the open files; those that cannot be replayed keep their recordings as they
    /// are. `anchors` gives the trusted anchors of a boot as the event log has them; `bootID` is the present one.
    /// Where something is recorded already, its numbers begin at `first`, and nothing of it is touched.
    package func recover(
        bootID: String, zone: Zone, before first: Int = .max, anchors: (_ bootID: String) -> [ClockAnchor]
    ) throws(FileError) -> RecordingRecovery {
        var recovery = RecordingRecovery()
        let unreplayed = try replayJournals(before: first, &recovery.faults)
        // A file whose name is not ours may be in use by what is recorded now, unless nothing is.
        let isOld = { (name: String) in RecordingName(name).map { $0.number < first } ?? (first == .max) }
        for name in try folder.names(where: { ($0.hasSuffix(".tmp") || $0.hasSuffix(".open")) && isOld($0) }) {
            do throws(FileError) {
                if name.hasSuffix(".tmp") {
                    try folder.remove(name)
                } else if name.hasSuffix(".open"), let ours = RecordingName(name), !unreplayed.contains(ours.number) {
                    try recoverFile(name, bootID, zone, anchors, &recovery)
                }
            } catch {
                recovery.faults.append(error)
            }
        }
        try removeRemains(&recovery, isOld)
        return recovery
    }

    /// Removals need not reach the medium in their order: a file may have lost its draft and still
    /// be there beside the sealed one.
    private func removeRemains(
        _ recovery: inout RecordingRecovery, _ isOld: (String) -> Bool
    ) throws(FileError) {
        for name in try folder.names(where: { $0.hasSuffix(".partial") && isOld($0) }) {
            guard let ours = RecordingName(name), !folder.contains(ours.draft) else { continue }
            let description = try? RecordingDescription(ours.description, in: folder)
            if let description, description.partialName == name, folder.contains(description.relativePath) {
                do throws(FileError) { try folder.remove(name) } catch { recovery.faults.append(error) }
            } else {
                let problem = "has no description, open or sealed; inspect it by hand"
                recovery.faults.append(.format(path: folder.file(name), problem: problem))
            }
        }
    }

    /// Seals files that waited for the first of these anchors of their boot.
    package func sealWaiting(
        _ waiting: [RecordingDescription], anchors: [ClockAnchor], zone: Zone
    ) throws(FileError) -> [SealedRecording] {
        var sealed: [SealedRecording] = []
        for draft in waiting { sealed.append(try seal(draft, anchors: anchors, zone: zone)) }
        return sealed
    }

    private func recoverFile(
        _ name: String, _ bootID: String, _ zone: Zone, _ anchors: (String) -> [ClockAnchor],
        _ recovery: inout RecordingRecovery
    ) throws(FileError) {
        var draft = try RecordingDescription(name, in: folder)
        // Written by us, but names from a file are checked before they are used as paths.
        guard draft.name == RecordingName(name), RecordingName(draft.relativePath) == draft.name,
            !draft.relativePath.contains("/")
        else { throw .format(path: folder.file(name), problem: "names a different recording") }
        guard folder.contains(draft.partialName), try !isAlreadySealed(draft) else {
            try folder.remove(draft.partialName)
            return try folder.remove(name)
        }
        if draft.state == .open {
            guard try cut(&draft) else {
                try folder.remove(draft.partialName)
                // A file without its draft would belong to no recording.
                try folder.sync()
                try folder.remove(name)
                recovery.removed.append(draft.partialName)
                recovery.removedDrafts.append(draft)
                return
            }
            try saveDraft(draft)
        }
        let anchors = anchors(draft.bootID).filter(\.isTrusted)
        if draft.clock == .pending, anchors.isEmpty, draft.bootID == bootID {
            recovery.waiting.append(draft)
        } else {
            recovery.sealed.append(try seal(draft, anchors: anchors, zone: zone))
        }
    }

    /// True when the power went between the last rename and the removal of what it replaced.
    private func isAlreadySealed(_ draft: RecordingDescription) throws(FileError) -> Bool {
        guard folder.contains(draft.name.description),
            let description = try? RecordingDescription(draft.name.description, in: folder),
            folder.contains(description.relativePath)
        else { return false }
        return try FileDigest.sha256(of: File(folder.file(description.relativePath), .read)) == description.sha256
    }

    /// Cuts a file back to its last whole unit; false when nothing is in it.
    private func cut(_ draft: inout RecordingDescription) throws(FileError) -> Bool {
        if draft.age != nil { return try endEncrypted(&draft) }
        let file = try File(folder.file(draft.partialName), .update)
        let found = try draft.survey(file, formats)
        draft.countLostInMemory(found)
        guard found.stored > 0 else { return false }
        draft.bytesCut = try file.size() - found.bytes
        try file.truncate(to: found.bytes)
        for patch in found.patches { try file.write(patch.bytes, at: patch.offset) }
        try file.syncOrRewrite(metadata: true)
        draft.apply(found)
        draft.measureRate(found)
        draft.isRecovered = true
        draft.state = .finished
        return true
    }

    /// As `cut`, for a file encrypted by age, which only its recipients can read: false when no chunk is
    /// in it. A chunk that is not whole stays; a reader stops there.
    private func endEncrypted(_ draft: inout RecordingDescription) throws(FileError) -> Bool {
        let file = try File(folder.file(draft.partialName), .update)
        // The file cannot be surveyed without the key: only what was in memory is counted.
        draft.countLostInMemory(SegmentSurvey())
        guard let length = try? AgeReader.contentLength(of: file), length > 0 else { return false }
        try file.syncOrRewrite(metadata: true)
        draft.age?.isCut = true
        draft.isRecovered = true
        draft.state = .finished
        return true
    }
}

extension RecordingDescription {
    /// No chip's rate exceeds its nominal one by more than this factor.
    private static let fastest = 1.15

    /// Counts what was in memory when the power went: how long that can have been is known, and so is the most
    /// samples that it can have held. Bytes of a serial line and events have no rate, so their number is unknown.
    mutating func countLostInMemory(_ found: SegmentSurvey) {
        lose(found.damagedSamples, .powerCut)
        guard countedUnit == .samples else {
            isLossUnknown = true
            return
        }
        let seconds = syncInterval + SegmentFile.lateness.seconds
        lose(Int((seconds * nominalRate * Self.fastest).rounded(.up)) + found.mostWaiting, .powerCut)
    }

    /// While a source starts, a sample's time is off by at most this many seconds plus two of its
    /// periods.
    private static let startUpError = 0.02

    /// The rate by the times in the file, over its stretches without a gap, where those are long
    /// enough to tell it.
    mutating func measureRate(_ found: SegmentSurvey) {
        guard countedUnit == .samples, nominalRate > 0, gapsOmitted == 0, found.damagedSamples == 0 else { return }
        var (periods, seconds, stretches) = (0, 0.0, 0)
        var (position, start) = (0, startUptime)
        func addStretch(to end: Double, before nextPosition: Int) {
            guard nextPosition - position > 1, end > start else { return }
            periods += nextPosition - position - 1
            seconds += end - start
            stretches += 1
        }
        for gap in gaps {
            addStretch(to: gap.startUptime, before: gap.position)
            (position, start) = (gap.position, gap.endUptime)
        }
        addStretch(to: endUptime, before: samplesStored)
        guard periods > 100, seconds > 2 else { return }
        let rate = Double(periods) / seconds
        // Each end of a stretch is off by `startUpError` and two periods.
        setRate(rate, error: rate * Double(stretches) * 2 * (Self.startUpError + 2 / nominalRate) / seconds)
        guard let ratio = resampled.map({ nominalRate / max($0.nominalRate, 1e-3) }) else { return }
        resampled?.measuredRate = rate / ratio
    }

    /// The offset of the file's wall times in seconds east of UTC.
    package var offsetSeconds: Int {
        guard let offset, offset != "Z", let moment = Instant.parsed("1970-01-01T00:00:00\(offset)") else { return 0 }
        return -Int(moment.seconds)
    }
}
