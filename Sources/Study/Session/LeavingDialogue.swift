// SPDX-License-Identifier: Apache-2.0

/// The questions by which a participant leaves the study: whether to leave; whether for good; and, where the
/// study lets the participant say, what becomes of the data. `PanelSession` begins it from the menu, says its
/// `cues`, and hands it each gesture until it ends.
struct LeavingDialogue: Sendable {
    /// What a gesture has led to.
    enum Turn: Sendable {
        /// The dialogue goes on, and its `cues` are to be said.
        case asks
        case stays
        /// `deletesData` is what the participant said of the data; nil = the study's own rule holds.
        case leaves(deletesData: Bool?)
    }

    /// The numbers are those of `Cue.leaveStudy`.
    private enum Question: Int, Sendable {
        case leave = 1
        case forGood, data
    }

    /// What leaving the study does to the data at its server.
    private let withdrawal: WithdrawalRule
    private var question = Question.leave
    /// Walks through `answers`. Each question begins at the first, so that leaving takes two presses.
    private(set) var ring = Ring(count: 2)

    init(_ withdrawal: WithdrawalRule) { self.withdrawal = withdrawal }

    /// The cautious answer, then the one that leaves. About the data both answers leave.
    var answers: [Phrase] { question == .data ? PanelPhrases.keepOrDelete : PanelPhrases.stayOrLeave }

    /// The answer that was stepped to; at the first answer after its question.
    var cues: [Cue] {
        let answer = Cue.menuItem(ring.index + 1, answers[ring.index])
        guard ring.index == 0 else { return [answer] }
        var cues = [Cue.leaveStudy(stage: question.rawValue)]
        if question == .data, case .asks(let text) = withdrawal, !text.isEmpty { cues.append(.message(text)) }
        return cues + [answer]
    }

    mutating func handle(_ gesture: Gesture) -> Turn {
        if ring.move(gesture) { return .asks }
        guard gesture == .select else { return .stays }
        switch (question, withdrawal) {
        case (.data, _): return .leaves(deletesData: ring.index == 1)
        case _ where ring.index == 0: return .stays
        case (.leave, _): return ask(.forGood)
        case (.forGood, .asks): return ask(.data)
        case (.forGood, _): return .leaves(deletesData: nil)
        }
    }

    private mutating func ask(_ next: Question) -> Turn {
        (question, ring) = (next, Ring(count: 2))
        return .asks
    }
}
