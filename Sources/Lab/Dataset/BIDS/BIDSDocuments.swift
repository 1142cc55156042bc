// SPDX-License-Identifier: Apache-2.0
import Base

/// The files that describe the dataset as a whole, which `BIDSExport` writes last.
struct BIDSDocuments {
    private let dataset: any StudyDataset
    private let labels: BIDSLabels

    init(_ dataset: any StudyDataset, _ labels: BIDSLabels) { (self.dataset, self.labels) = (dataset, labels) }

    func write(to folder: DatasetFolder) throws {
        try folder.write(description, to: "dataset_description.json")
        try folder.write(readme, to: "README.md")
        try folder.write(changes, to: "CHANGES")
    }

    private var title: String { dataset.codebook.title ?? dataset.study }

    private var description: JSONText {
        let ethics = dataset.codebook.ethics.flatMap { $0.isEmpty ? nil : JSONText.array([.string($0)]) }
        return .object([
            "Name": .string(title), "BIDSVersion": .string("1.10.0"), "DatasetType": .string("raw"),
            "License": .string("n/a"), "EthicsApprovals": ethics,
            "GeneratedBy": .array([
                .object([
                    "Name": .string("study-receiver"), "Version": .string(ProgramVersion.text),
                    "Description": .string("study-receiver export --to bids"),
                ])
            ]),
        ])
    }

    private var readme: String {
        let instructions = dataset.codebook.instructions.map { "\($0)\n\n" } ?? ""
        let questions = Set(dataset.codebook.items.map { [$0.task, $0.item] }).count
        let here = Set(dataset.participants.map(\.id))
        let collisions = labels.collisions.filter(here.contains).map {
            "- `\($0)` is `sub-\(labels[$0])`: another participant's code has the same letters and digits.\n"
        }
        return """
            # \(title)

            \(instructions)Study `\(dataset.study)`, \(Plural.of(dataset.participants.count, "participant")), \
            \(Plural.of(questions, "question")); what had arrived by \(dataset.latest.rfc3339Zulu(fractionDigits: 0)).

            ## What is where

            - `participants.tsv`: `participant_code` is the code that devices sent; `participant_id` has its letters and digits.
            \(collisions.joined())- A session is one enrolment of one device (`*_sessions.tsv`), a run the number of a recording on that device.
            - `motion/`: acceleration in g, rotation in degrees per second, magnetic field. Rows are the samples that were taken; \
            the last column, `latency`, is when, in seconds since the first. Where it jumps, samples are missing: nothing is filled in. \
            `SamplingFrequencyEffective` is there where the rate was measured.
            - `motion/*_events.tsv`: what happened during the recording; onsets count from its first sample.
            - `beh/*_events.tsv`: every prompt, task, answer and press of the enrolment. A question's answers are in the column \
            of its name; `task-dailylife_events.json` has its words and what each value means.
            - `beh/*_beh.tsv`: sound levels and positions.
            - `*_scans.tsv`: when each file began, in UTC (`Z`), and how far off its times can be.
            - `sourcedata/missing.tsv`: what is known to have been and is not here. `sourcedata/left_out.tsv`: what arrived and BIDS \
            has no place for, such as sound itself.
            - `code/`: a notebook and an R script that draw compliance, activity and answers from these files alone, and a table \
            for the paper.

            """
    }

    private var changes: String {
        let day = LocalDateTime(dataset.latest, offset: 0).date
        return "1.0.0 \(day)\n  - What had arrived by that day.\n"
    }
}
