// SPDX-License-Identifier: Apache-2.0
import Base

/// What the participant did while a recording was made, as `BIDSPlanner` names it in the table's name and in
/// the JSON beside it: a task of the study, or daily life.
struct BIDSTask {
    /// Letters and digits.
    let label: String
    let name: String
    let description: String
    let instructions: String

    var members: [JSONText.Member] {
        let json: JSONText = .object([
            "TaskName": .string(name), "TaskDescription": .string(description), "Instructions": .string(instructions),
        ])
        return json.members
    }
}

extension BIDSTask {
    static func daily(in study: any StudyDataset) -> BIDSTask {
        BIDSTask(
            label: "dailylife", name: "daily life",
            description: "The participant lives as usual, wears the device and answers the study's prompts.",
            instructions: BIDSCell.text(study.codebook.instructions))
    }

    /// The task that a recording was made for; daily life where it was made for none.
    init(of description: RecordingDescription, in study: any StudyDataset) {
        guard let note = description.task else {
            self = .daily(in: study)
            return
        }
        let name = study.codebook.items.first { $0.task == note.task }?.taskName ?? note.task
        self.init(
            label: BIDSLabels.plain(note.task), name: name.isEmpty ? note.task : name,
            description: "Recorded while the participant did this task of the study.",
            instructions: BIDSCell.text(study.codebook.instructions))
    }
}
