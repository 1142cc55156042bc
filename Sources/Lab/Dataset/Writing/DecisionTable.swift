// SPDX-License-Identifier: Apache-2.0
import Base

extension Tables {
    /// The table `decisions.csv`, which `TrialExport` writes, with columns for each of `features`; `Of` is a
    /// decision with its participant. For analyses, truth values are 0 and 1, and the probability is 0 where
    /// the participant was not available. What was not measured is empty. Unless it unblinds, the table has no
    /// column that tells who was treated: not even `available`, since a prompt makes the next points
    /// unavailable.
    package static func decisions(_ features: [String], unblinds: Bool) -> DatasetTable<Of<StudyDecision>> {
        let taken = Set((point + draw + outcome).map(\.name))
        let states = features.map { state($0, as: taken.contains($0) ? "feature." + $0 : $0) }
        return DatasetTable(
            "decisions", "Every point at which a rule decided, in groups by participant.",
            key: ["id", "enrolment", "rule", "decision"],
            groups: [point] + (unblinds ? [draw] : []) + states + [outcome])
    }

    private static var point: [Column<Of<StudyDecision>>] {
        let point: [Column<Of<StudyDecision>>] = [
            Column("id", .string, "The participant's code.") { $0.participant.id },
            Column("enrolment", .string, "The device's name of the enrolment.") { $0.value.enrolment },
            Column("decision", .integer, "The number of the decision, of this rule and enrolment.") {
                $0.value.index.cell
            },
            Column("rule", .string, "The rule's name.") { $0.value.rule },
            Column("task", .string, "The task that it prompts for.") { $0.value.task },
        ]
        let day: [Column<Of<StudyDecision>>] = [
            Column("day", .integer, "The day of the study on the wall clock; 1 is that of the enrolment.") {
                $0.value.day?.cell
            }
        ]
        let groups: [[Column<Of<StudyDecision>>]] = [
            point, moments("due", "When it was due") { $0.value.due }, [offset("when it was due") { $0.value.due }],
            moments("decided", "When it was decided") { $0.value.decided }, day,
        ]
        return groups.flatMap(\.self)
    }

    private static var draw: [Column<Of<StudyDecision>>] {
        let result: [Column<Of<StudyDecision>>] = [
            Column("result", .string, "treated, control, unavailable or missed.") { $0.value.result },
            Column("available", .integer, "1 where treatment was drawn, else 0.") { $0.value.isAvailable ? "1" : "0" },
            Column("reasons", .string, "Why nothing was drawn, with blanks between the reasons.") {
                $0.value.reasons.isEmpty ? nil : $0.value.reasons.joined(separator: " ")
            },
            Column("probability", .number, "Of treatment; 0 where nothing was drawn.") {
                ($0.value.probability ?? 0).cell
            },
            Column("treatment", .integer, "1 where a prompt was raised, else 0.") { $0.value.isTreated ? "1" : "0" },
            Column("draw", .number, "Treated where it is below the probability; missing where nothing was drawn.") {
                $0.value.draw?.cell
            },
        ]
        return result + budget
    }

    private static var budget: [Column<Of<StudyDecision>>] {
        [
            Column("budget_day", .integer, "The local day of the budget, in days since 1970-01-01.") {
                $0.value.budget?.day.cell
            },
            Column("budget_allowance", .number, "What the sum of probabilities may be that day.") {
                $0.value.budget?.allowance.cell
            },
            Column("budget_spent", .number, "The sum of probabilities of that day before this point.") {
                $0.value.budget?.spent.cell
            },
            Column("budget_expected", .number, "How many available points the day was expected to have.") {
                $0.value.budget?.expected.cell
            },
            Column("budget_seen", .integer, "How many available points that day had had before this one.") {
                $0.value.budget?.seen.cell
            },
        ]
    }

    private static func state(_ feature: String, as name: String) -> [Column<Of<StudyDecision>>] {
        let values: [Column<Of<StudyDecision>>] = [
            Column(name, .number, "The feature \(feature) then; missing where too little was covered.") {
                $0.value.state[feature]?.value?.cell
            },
            Column("\(name)_coverage", .number, "The share of its window that was covered.") {
                $0.value.state[feature]?.coverage?.cell
            },
            Column("\(name)_from_utc", .utc, "The begin of its first epoch, in UTC.") {
                $0.value.state[feature]?.from?.utc
            },
            Column("\(name)_to_utc", .utc, "The end of its last epoch, in UTC.") { $0.value.state[feature]?.to?.utc },
            Column("\(name)_recordings", .string, "Numbers of the recordings that it is of, with blanks between.") {
                $0.value.state[feature].map { $0.recordings.map { String($0) }.joined(separator: " ") }
            },
        ]
        return values
    }

    private static var outcome: [Column<Of<StudyDecision>>] {
        [
            Column("outcome_feature", .string, "The feature that was measured as the outcome.") {
                $0.value.outcome?.feature
            },
            Column("outcome", .number, "The value of the outcome; missing where it was not observed.") {
                $0.value.outcome?.reading.value?.cell
            },
            Column("outcome_observed", .integer, "1 where outcome has a value, else 0.") {
                $0.value.outcome?.reading.value == nil ? "0" : "1"
            },
            Column("outcome_missing", .string, "Why there is no outcome.") { $0.value.outcome?.missing },
            Column("coverage", .number, "The share of the outcome's window that was covered.") {
                $0.value.outcome?.reading.coverage?.cell
            },
            Column("rules", .string, "SHA-256 of the rules, which lie in rules/.") { $0.value.rules },
        ]
    }

    package static let seeds = DatasetTable<Of<StudyTrial.Seed>>(
        "seeds", "From which draws follow, those to come as well: not for those who must not know them.",
        key: ["id", "enrolment"],
        groups: [
            [
                Column("id", .string, "The participant's code.") { $0.participant.id },
                Column("enrolment", .string, "The device's name of the enrolment.") { $0.value.enrolment },
            ],
            moments("enrolled", "When the participant was enrolled") { $0.value.began },
            [
                offset("at the enrolment") { $0.value.began },
                Column("zone", .string, "The zone's name; missing where the offset stays.") { $0.value.zone },
                Column("seed", .string, "32 bytes, in hexadecimal; missing while the device alone has it.") {
                    $0.value.seed
                },
                Column("rules", .string, "SHA-256 of the rules, which lie in rules/.") { $0.value.rules },
            ],
        ])
}
