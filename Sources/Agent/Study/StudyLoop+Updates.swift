// SPDX-License-Identifier: Apache-2.0
import Store
import StudyEngine
import StudyModel

/// Another version of the study that is to be followed.
struct PendingUpdate: Sendable {
    let loaded: LoadedStudy
    let version: String
}

/// A study that changes while it runs.
///
/// The rule: a run that is open is finished, submitted and sent as what it was begun as; the new version is followed from the moment
/// nothing is open. Runs that were given out keep their outcome, by their number.
extension StudyLoop {
    /// Follows the version that waits, if its moment has come: nothing open, nothing held back, and a disk that stores.
    func followUpdate() async {
        guard let update, let study, study.conductor.session.isIdle, held == nil, parts.view.now.fault == nil else {
            return
        }
        self.update = nil
        do {
            // Its bytes are on the disk before anything refers to them, and everything decided so far before it is read again.
            let now = parts.stamps.clock.now
            let digest = try await parts.database.keepStudyFile(
                update.loaded.bytes, source: study.record.source, at: now)
            // Two looks may have found the same.
            if digest.description == study.record.fileDigest { return }
            var row = StudyCommit()
            row.events = [
                .studyUpdated(fileDigest: digest.description, version: update.version),
                .serverFact(name: ServerFact.version, text: update.version),
            ]
            commit(row)
            await parts.commits.drained()
            try await reload()
        } catch {
            report("\(error)")
        }
    }

    /// Says how those ended whose tasks are no longer in the study.
    func endOrphans() {
        var row = StudyCommit()
        row.events = (study?.orphans ?? []).map {
            .concluded(occurrence: OccurrenceRecord($0.occurrence), outcome: $0.outcome)
        }
        commit(row)
    }

    /// Brings the enrolment to life again; measuring goes on, unless the new version needs a microphone or a receiver that the old did not.
    private func reload() async throws {
        let now = parts.stamps.moment
        let renewed = try await ActiveStudy.load(
            from: parts.database, panel: parts.panel, zone: parts.stamps.zone, limits: parts.limits, at: now)
        guard let renewed, let old = study, renewed.needs == old.needs else { return try await change() }
        study = renewed
        endOrphans()
        if isTrusted { tellTrust() }
        conduct(.fault(parts.view.now.panelFault))
        conduct(.tick)
    }
}
