// SPDX-License-Identifier: Apache-2.0
import Base

/// Another version of the study. The rule: a run that is open is finished, submitted and sent as
/// what it was begun as; the new version is followed from the moment nothing is open. Runs that
/// were given out keep their outcome, by their number.
extension StudyCore {
    /// Follows the version that waits, if its moment has come: nothing open, nothing held back, and
    /// a disk that stores.
    mutating func followUpdate() {
        guard let update, let study, study.conductor.session.isIdle, held == nil, !agentFails, !isDating else { return }
        self.update = nil
        coming = update
        want(.keepUpdate(update, source: study.record.source))
    }

    mutating func updateKept(_ version: String, _ digest: String, at now: Moment) {
        // Two looks may have found the same.
        guard let study, digest != study.record.fileDigest else { return }
        var row = StudyCommit()
        row.events = [
            .studyUpdated(fileDigest: digest, version: version),
            .serverFact(name: ServerFact.version, text: version),
        ]
        if let coming, coming.version == version { report(coming, in: study, adding: &row, at: now) }
        coming = nil
        commit(row, at: now)
        want(.reload)
    }

    /// The server learns of it from the new version's own words, and what waits for it becomes due.
    private func report(_ update: PendingUpdate, in study: ActiveStudy, adding row: inout StudyCommit, at now: Moment) {
        let known = study.scribe.context
        let old = study.conductor.planner.context
        var enrolment = known.enrolment
        if let draw = ChanceDraw.lostCondition(enrolment.condition, of: update.loaded.study, chance: old.chance) {
            enrolment.condition = draw.result.isEmpty ? nil : draw.result
            row.events += EventEncoder.events(.drew(draw))
        }
        let context = WireContext(
            study: update.loaded.study, enrolment: enrolment, zone: known.zone, postURL: known.postURL)
        var scribe = EventEncoder(context: context)
        row.drafts = scribe.drafts(.updated, at: now)
        let planner = Planner(
            study: update.loaded.study,
            context: ScheduleContext(
                enrolment: enrolment, zone: old.zone, chance: old.chance, facts: study.conductor.scheduler.facts))
        let happening = StudyHappening(.updated, at: now.instant)
        guard !planner.raised(by: happening).isEmpty else { return }
        row.events.append(
            .variableSet(name: happening.variable, value: .number(Double(happening.moment.milliseconds))))
    }
}
