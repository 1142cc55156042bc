// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// What does not fit together between the activity list, the activities and the study: by which of
/// them the device goes.
extension MyStudiesDecoder {
    /// The list against the activity it names; id and version agree, or the activity would not
    /// have been found.
    mutating func recordContradictions(_ listed: JSONPlace, _ activity: Activity) {
        let kinds = (listed.member("type")?.text ?? "", activity.place.member("type")?.text ?? "")
        if !kinds.0.isEmpty, !kinds.1.isEmpty, kinds.0.lowercased() != kinds.1.lowercased() {
            findings.assume(
                "the list says \(kinds.0), the activity \(kinds.1): its steps decide what it is", for: "type",
                in: listed)
        }
        let steps = activity.place.member("steps")?.elements ?? []
        let tasks = steps.filter { $0.member("type")?.text?.lowercased() == "task" }
        if !tasks.isEmpty, steps.count > 1 {
            findings.assume(
                "an active task together with other steps: they are done in order, and sent as a task",
                at: activity.place)
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
    mutating func checkOtherActivities(_ tasks: [StudyTask], _ activities: [Activity], studyID: String, isListed: Bool)
    {
        for activity in activities {
            guard let own = activity.studyID, !own.isEmpty, !studyID.isEmpty, own != studyID else { continue }
            findings.assume(
                "taken as an activity of the study \(studyID)", path: activity.place.path + ".metadata.studyId")
        }
        for step in tasks.flatMap(\.content.questionnaireSteps) {
            for case .task(let key, let target) in step.jumps.map(\.to) {
                checkWay(to: key, target, from: step, tasks, isListed: isListed)
            }
            if let piping = step.piping, let key = piping.task { checkPiping(piping, of: key, in: step, tasks) }
        }
    }

    private mutating func checkWay(
        to key: String, _ target: String?, from step: Step, _ tasks: [StudyTask], isListed: Bool
    ) {
        guard let task = tasks.first(where: { $0.key == key }) else {
            if deleted.contains(key) {
                findings.assume("the activity ends there: \"\(key)\" was deleted", path: step.path)
            } else if isListed, let root = roots.first {
                findings.expected(
                    "an activity of this study where the answer to \(step.key) leads", at: root, found: "\"\(key)\"")
            } else {
                findings.assume("the activity ends there: there is no file for activity \"\(key)\"", path: step.path)
            }
            return
        }
        guard let target, !task.content.questionnaireSteps.contains(where: { $0.key == target }) else { return }
        findings.assume("\(key) begins with its first step: it has no step \"\(target)\"", path: step.path)
    }

    private mutating func checkPiping(_ piping: Piping, of key: String, in step: Step, _ tasks: [StudyTask]) {
        let steps = tasks.first { $0.key == key }?.content.questionnaireSteps ?? []
        guard !steps.contains(where: { $0.key == piping.question }) else { return }
        findings.assume(
            "the pipingSnippet is left out of the text: \(key) has no question \"\(piping.question)\"", path: step.path)
    }
}
