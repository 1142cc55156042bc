// SPDX-License-Identifier: Apache-2.0
import Samples
import Times

/// What a start found of files that a power cut or a crash left open.
package struct RecordingRecovery: Sendable {
    /// Files that were cut back to their last whole unit, sealed and marked.
    package var sealed: [SealedRecording] = []
    /// Files of this boot that still wait for its first anchor: give them to `sealWaiting`.
    package var waiting: [RecordingDescription] = []
    /// Files in which there was nothing to keep, and which were removed.
    package var removed: [String] = []
    /// How many samples each of those can have lost at the most, by its name.
    package var removedLosses: [String: Int] = [:]
    /// What was said of them when they were begun.
    package var removedDrafts: [RecordingDescription] = []
    /// Files that could not be read or sealed; they are left as they are.
    package var faults: [RecordingError] = []

    package init() {}
}

extension RecordingFolder {
    /// Puts in order at start what an earlier start left. `anchors` gives the trusted anchors of a boot as the event log has them; `bootID` is the
    /// present one. Where something is recorded already, its numbers begin at `first`, and nothing of it is touched.
    package func recover(
        bootID: String, zone: Zone, before first: Int = .max, anchors: (_ bootID: String) -> [ClockAnchor]
    ) throws(RecordingError) -> RecordingRecovery {
        var recovery = RecordingRecovery()
        let isOld = { (name: String) in RecordingName(name).map { $0.number < first } ?? (first == .max) }
        for name in try folder.names(where: { ($0.hasSuffix(".tmp") || $0.hasSuffix(".open")) && isOld($0) }) {
            do throws(RecordingError) {
                if name.hasSuffix(".tmp") {
                    try folder.remove(name)
                } else if name.hasSuffix(".open"), RecordingName(name) != nil {
                    try recover(name, bootID, zone, anchors, &recovery)
                }
            } catch {
                recovery.faults.append(error)
            }
        }
        try removeRemains(&recovery, isOld)
        return recovery
    }

    /// Removals need not reach the medium in their order: a file may have lost its draft and still be there beside the sealed one.
    private func removeRemains(
        _ recovery: inout RecordingRecovery, _ isOld: (String) -> Bool
    ) throws(RecordingError) {
        for name in try folder.names(where: { $0.hasSuffix(".partial") && isOld($0) }) {
            guard let ours = RecordingName(name), !folder.contains(ours.draft) else { continue }
            let description = try? RecordingDescription(
                json: folder.contents(of: ours.description), path: folder.file(ours.description))
            if let description, description.partialName == name, folder.contains(description.relativePath) {
                try folder.remove(name)
            } else {
                let problem = "has no description, open or sealed; inspect it by hand"
                recovery.faults.append(.format(path: folder.file(name), problem: problem))
            }
        }
    }

    /// Seals files that waited for the first of these anchors of their boot.
    package func sealWaiting(
        _ waiting: [RecordingDescription], anchors: [ClockAnchor], zone: Zone
    ) throws(RecordingError) -> [SealedRecording] {
        var sealed: [SealedRecording] = []
        for draft in waiting { sealed.append(try seal(draft, anchors: anchors, zone: zone)) }
        return sealed
    }

    private func recover(
        _ name: String, _ bootID: String, _ zone: Zone, _ anchors: (String) -> [ClockAnchor],
        _ recovery: inout RecordingRecovery
    ) throws(RecordingError) {
        var draft = try RecordingDescription(json: folder.contents(of: name), path: folder.file(name))
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
                try folder.remove(name)
                recovery.removed.append(draft.partialName)
                recovery.removedDrafts.append(draft)
                recovery.removedLosses[draft.partialName] = draft.samplesLost["\(LossReason.powerCut)"] ?? 0
                return
            }
            try keep(draft)
        }
        let anchors = anchors(draft.bootID).filter(\.isTrusted)
        if draft.clock == .pending, anchors.isEmpty, draft.bootID == bootID {
            recovery.waiting.append(draft)
        } else {
            recovery.sealed.append(try seal(draft, anchors: anchors, zone: zone))
        }
    }

    /// True when the power went between the last rename and the removal of what it replaced.
    private func isAlreadySealed(_ draft: RecordingDescription) throws(RecordingError) -> Bool {
        guard folder.contains(draft.name.description),
            let description = try? RecordingDescription(
                json: folder.contents(of: draft.name.description), path: draft.name.description),
            folder.contains(description.relativePath)
        else { return false }
        return try FileDigest.sha256(of: DiskFile(folder.file(description.relativePath), .read)) == description.sha256
    }

    /// Cuts a file back to its last whole unit; false when nothing is in it.
    private func cut(_ draft: inout RecordingDescription) throws(RecordingError) -> Bool {
        let file = try DiskFile(folder.file(draft.partialName), .update)
        let found = try draft.survey(file, formats)
        // What lay in memory when the power went is not known, but no more than this can have. Bytes of a serial line and events have no
        // rate of their own; they are taken to have come as before.
        let seen = draft.countedUnit == "samples" ? 0 : Double(found.stored) / max(1, found.duration)
        let rate = max(draft.nominalRate, seen)
        let unsynced = Int((draft.syncInterval * rate).rounded(.up))
        draft.lose(unsynced + found.unit + found.missing, .powerCut)
        guard found.stored > 0 else { return false }
        draft.bytesCut = try file.size() - found.bytes
        try file.truncate(to: found.bytes)
        for patch in found.patches { try file.write(patch.bytes, at: patch.offset) }
        try file.sync(metadata: true)
        draft.apply(found)
        draft.isRecovered = true
        draft.state = .finished
        return true
    }
}

extension RecordingDescription {
    /// The offset of the file's wall times in seconds east of UTC.
    package var offsetSeconds: Int {
        guard let offset, offset != "Z", let moment = TimeText.instant("1970-01-01T00:00:00\(offset)") else { return 0 }
        return -Int(moment.seconds)
    }
}
