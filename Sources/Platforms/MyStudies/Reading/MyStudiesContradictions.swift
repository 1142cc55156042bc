// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Notes where the activity list, the activities and the study contradict each other, for `MyStudiesDecoder`: the
/// remarks say which of them the device follows.
struct MyStudiesContradictions {
    let tasks: [StudyTask]
    /// Ids of activities that those who run the study have taken out of it.
    let deleted: Set<String>
    /// Where the activities are listed: others do not belong to the study. Nil without a list.
    let list: JSONPlace?
    private(set) var findings: Findings

    /// The list against the activity it names; id and version agree, or the activity would not
    /// have been found.
    static func compare(_ listed: JSONPlace, with activity: JSONPlace, _ findings: inout Findings) {
        let kinds = (listed.member("type")?.text ?? "", activity.member("type")?.text ?? "")
        if !kinds.0.isEmpty, !kinds.1.isEmpty, kinds.0.lowercased() != kinds.1.lowercased() {
            findings.assume(
                "the list says \(kinds.0), the activity \(kinds.1): its steps decide what it is", for: "type",
                in: listed)
        }
        let steps = activity.member("steps")?.elements ?? []
        let tasks = steps.filter { $0.member("type")?.text?.lowercased() == "task" }
        if !tasks.isEmpty, steps.count > 1 {
            findings.assume(
                "an active task together with other steps: they are done in order, and sent as a task",
                at: activity)
        }
        let names = tasks.compactMap { $0.member("resultType")?.text }
        if let named = listed.member("taskSubType"), let text = named.text, !text.isEmpty, !names.isEmpty,
            !names.contains(where: { $0.lowercased() == text.lowercased() })
        {
            findings.assume("the activity's step is \(names[0]): that is done", at: named)
        }
    }

    /// Activities of another study than the first, and answers that lead to or are taken from
    /// activities that are not there.
    mutating func checkOtherActivities(_ activities: [MyStudiesDecoder.Activity], studyID: String) {
        for activity in activities {
            guard let own = activity.studyID, !own.isEmpty, !studyID.isEmpty, own != studyID else { continue }
            findings.assume(
                "taken as an activity of the study \(studyID)", path: activity.place.path + ".metadata.studyId")
        }
        for step in tasks.flatMap(\.content.steps) {
            for case .task(let key, let start) in step.jumps.map(\.to) {
                checkWay(to: key, start, from: step)
            }
            if let piping = step.piping, let key = piping.task { checkPiping(piping, of: key, in: step) }
        }
    }

    private mutating func checkWay(to key: String, _ start: RunStart, from step: Step) {
        guard let task = tasks.first(where: { $0.key == key }) else {
            if deleted.contains(key) {
                findings.assume("the activity ends there: \"\(key)\" was deleted", path: step.path)
            } else if let list {
                findings.expected(
                    "an activity of this study where the answer to \(step.key) leads", at: list, found: "\"\(key)\"")
            } else {
                findings.assume("the activity ends there: there is no file for activity \"\(key)\"", path: step.path)
            }
            return
        }
        guard case .step(let target) = start, !task.content.steps.contains(where: { $0.key == target })
        else { return }
        findings.assume("\(key) begins with its first step: it has no step \"\(target)\"", path: step.path)
    }

    private mutating func checkPiping(_ piping: Piping, of key: String, in step: Step) {
        let steps = tasks.first { $0.key == key }?.content.steps ?? []
        guard !steps.contains(where: { $0.key == piping.question }) else { return }
        findings.assume(
            "the pipingSnippet stays in the text: \(key) has no question \"\(piping.question)\"", path: step.path)
    }
}
