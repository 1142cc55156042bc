// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Study

/// What an earlier start left on the disk.
extension StudyLoop {
    /// Puts the recordings of an earlier start in order: cuts, seals, registers what the log
    /// does not know yet.
    func recover() async throws {
        let stamps = parts.stamps
        let first = coming?.firstNumber ?? .max
        let folder = parts.folder
        var known: [String: [ClockAnchor]] = [stamps.bootID: core.anchors]
        let drafts = try await onThread("studyd-recover") { try folder.openBoots() }
        for boot in drafts where known[boot] == nil { known[boot] = try await parts.database.anchors(ofBoot: boot) }
        let anchorsByBoot = known
        let recovery = try await onThread("studyd-recover") {
            try folder.recover(bootID: stamps.bootID, zone: stamps.zone, before: first) { anchorsByBoot[$0] ?? [] }
        }
        try await note(recovery.faults)
        let leftForGood = try await settleWithdrawal()
        try await feed(.noted(rows(of: recovery.removedDrafts)))
        let registered = try await parts.database.recordingNumbers()
        let sealed = try await onThread("studyd-recover") { try folder.sealed(besides: registered, before: first) }
        try await note(sealed.faults)
        // While the log that lists them cannot be read, they wait for it.
        let orphans = await parts.database.leavesFile ? [] : sealed.recordings
        foundForRuns = orphans.filter(\.isOfRun)
        let found = orphans.filter { !$0.isOfRun }
        let removed = recovery.removedDrafts.filter { $0.countedUnit == "samples" && !$0.isExtra }
        try await findPastLife(
            found.map(\.description) + recovery.waiting,
            removed: removed.map { PastLife.File(measure: $0.kind, start: $0.start, end: $0.start, stored: 0) })
        // They are of the latest enrolment: a change of enrolment seals all that is open.
        let owner = try await parts.database.latestEnrolment()?.record ?? parts.kept.read()
        // Before they are registered: the row may be written at any moment, and would
        // count them twice.
        var past = Ledger.SampleCounts(try await parts.database.ledger())
        for description in found.map(\.description) + recovery.waiting { past.add(description) }
        parts.view.change { [past] in $0.past = past }
        try await feed(.left(forGood: leftForGood))
        try await feed(.recorder(.sealed(found), of: owner))
        try await feed(.waiting(recovery.waiting))
    }

    /// Files that stay undelivered, because they cannot be read: in the log, where a researcher
    /// looks, at every start.
    private func note(_ faults: [RecordingError]) async throws {
        for fault in faults { parts.log.error("recording", metadata: ["fault": "\(fault)"]) }
        try await feed(
            .noted(
                faults.map {
                    .fault(place: "recording", message: "\($0); this recording is not delivered until it can be read")
                }))
    }

    /// Files that were begun but had nothing whole on the disk, and the most that each can have
    /// lost: a sync interval.
    private func rows(of removed: [RecordingDescription]) -> [StudyEvent] {
        var rows: [StudyEvent] = []
        for draft in removed.sorted(by: { $0.number < $1.number }) {
            let lost =
                draft.isLossUnknown == true
                ? "how many \(draft.countedUnit) were lost is unknown" : "at most \(draft.totalLost) samples were lost"
            let message =
                "\(draft.relativePath) had no complete data on disk when the power failed; it was removed, and \(lost)"
            parts.log.notice("recording", metadata: ["loss": "\(message)"])
            rows.append(.fault(place: "recording", message: message))
        }
        return rows
    }
}
