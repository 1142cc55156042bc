// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// Writes what the rules beside a study decided, as the last tables of a `DatasetExport`; nothing where it has
/// none.
enum TrialExport {
    /// `unblinds` = with who was treated, the rules, the seeds and the log. Returns the tables, as a Data
    /// Package lists them.
    static func write(_ dataset: any StudyDataset, to folder: DatasetFolder, unblinds: Bool) throws -> [JSONText] {
        guard let trial = try dataset.trial() else { return [] }
        let decisions = try TableWriter(Tables.decisions(trial.features, unblinds: unblinds), folder)
        for participant in dataset.participants {
            for decision in try trial.decisions(participant) { try decisions.add(Of(participant, decision)) }
        }
        return [try decisions.finish()] + (unblinds ? [try proof(trial, of: dataset.participants, to: folder)] : [])
    }

    /// Writes what it takes to compute the decisions again: rules, logs and seeds. Returns the table of seeds.
    private static func proof(
        _ trial: StudyTrial, of participants: [Participant], to folder: DatasetFolder
    ) throws -> JSONText {
        for file in trial.rules { try folder.write(file.text, to: "rules/\(file.digest).toml") }
        let seeds = try TableWriter(Tables.seeds, folder)
        for participant in participants {
            for seed in trial.seeds(participant) { try seeds.add(Of(participant, seed)) }
            for log in trial.logs(participant) {
                try folder.write(log.text, to: "trial/\(PathName.safe(log.enrolment)).jsonl")
            }
        }
        return try seeds.finish()
    }
}
