// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Whether buttons that are bound to a task can open it in the study that is enrolled.
struct BoundButtonProbe: CheckProbe {
    let board: BoardDescription
    let study: StudyProtocol?

    private var bound: [(subject: CheckSubject, name: String)] {
        board.buttons.compactMap { button in
            button.task.map { (CheckSubject(.button, "\(button.name), task \($0)"), button.name) }
        }
    }

    var subjects: [CheckSubject] { bound.map(\.subject) }

    func run(_ report: (CheckFinding) -> Void) {
        for (subject, name) in bound { report(finding(subject, name)) }
    }

    private func finding(_ subject: CheckSubject, _ name: String) -> CheckFinding {
        guard let study else { return CheckFinding(subject, .skipped, "no study is enrolled yet") }
        return CheckFinding(subject, remedy: "correct the board file") {
            let refusal = try Panel(board).boundButtons(in: study).first { $0.name == name }?.refusal
            guard let refusal else { return CheckFinding(subject, .ok, "the enrolled study has it") }
            return CheckFinding(subject, failure: refusal, remedy: "name another task in the board file")
        }
    }
}
