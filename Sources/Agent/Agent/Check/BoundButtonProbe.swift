// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Whether buttons that are bound to a task can open it in the study that is enrolled.
struct BoundButtonProbe: CheckProbe {
    private let board: BoardDescription
    private let study: StudyProtocol?

    init(_ setting: CheckSetting) { (board, study) = (setting.board, setting.study) }

    private var bound: [(subject: CheckSubject, name: String)] {
        board.buttons.compactMap { button in
            button.task.map { (CheckSubject(.button, "\(button.name), task \($0)"), button.name) }
        }
    }

    var subjects: [CheckSubject] { bound.map(\.subject) }

    func run(_ report: (CheckFinding) -> Void) {
        let found = study.flatMap { study in (try? Panel(board))?.boundButtons(in: study) }
        for (subject, name) in bound {
            guard let button = found?.first(where: { $0.name == name }) else {
                report(CheckFinding(subject, .skipped, "no study is enrolled yet"))
                continue
            }
            guard let refusal = button.refusal else {
                report(CheckFinding(subject, .ok, "the enrolled study has it"))
                continue
            }
            report(CheckFinding(subject, failure: refusal, remedy: "name another task in the board file"))
        }
    }
}
