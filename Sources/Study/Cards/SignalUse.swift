// SPDX-License-Identifier: Apache-2.0

/// Which signals a participant of one study can meet, so that `CardSheet` explains no others.
struct SignalUse {
    private let steps: [Step]
    private let panel: Panel
    /// A task with a single question is submitted by itself; with several the participant has to confirm.
    private let hasSingleQuestions: Bool
    private let hasSeveralQuestions: Bool

    init(_ study: StudyProtocol, on panel: Panel) {
        self.panel = panel
        steps = study.tasks.flatMap(\.content.steps)
        let counts = study.tasks.map { $0.content.steps.count { $0.format.isQuestion } }
        hasSingleQuestions = counts.contains(1)
        hasSeveralQuestions = counts.contains { $0 > 1 }
    }

    func uses(_ cue: Cue) -> Bool {
        switch cue {
        case .paused, .pauseBegins, .pauseEnds: panel.pause != nil
        case .marked: panel.button(.marker) != nil
        case .option(_, _, _?): hasMultiple
        case .position: hasPlaces
        case .letter: hasLetters
        // A place in the ring of some questions, and what is said of a question without an answer.
        case .leaveOut: steps.contains { !$0.isRequired && $0.format.isQuestion } || hasPlaceForNone
        case .done: hasMultiple || hasNumbers || hasLetters
        case .clear: hasNumbers || hasLetters
        case .value:
            hasNumbers || hasSliders || hasDates || performs(KickCounterRules.self) || performs(VigilanceRules.self)
        case .confirm: hasSeveralQuestions || hasLetters || hasDates
        case .undoable: hasSingleQuestions
        case .required: steps.contains(where: \.isRequired)
        case .timeRunningOut: performs(TimedStepRules.self) || hasMemos || hasCountdowns
        case .recordingStarted: hasMemos || hasActive || hasCountdowns
        case .recordingStopped: hasMemos || hasActive
        case .counted: performs(KickCounterRules.self)
        case .towers, .tower: performs(TowerOfHanoiRules.self)
        case .watch, .yourTurn: performs(SpatialSpanRules.self)
        case .lost: performs(SpatialSpanRules.self) || performs(GoNoGoRules.self)
        case .won:
            performs(SpatialSpanRules.self) || performs(TowerOfHanoiRules.self) || performs(GoNoGoRules.self)
        case .reacted, .tooEarly, .tooLate: hasReactions
        // The others do not depend on the study's questions: they are always explained.
        default: true
        }
    }

    /// Numbers of several digits, decimals or negative ones can be said.
    var hasLongNumbers: Bool {
        hasNumbers || has { if case .slider(let format) = $0 { format.minimum < 0 || format.step < 1 } else { false } }
    }

    private func has(_ matches: (AnswerFormat) -> Bool) -> Bool { steps.contains { matches($0.format) } }

    private var hasMultiple: Bool { has { if case .choice(let format) = $0 { format.isMultiple } else { false } } }
    private var hasNumbers: Bool { has { if case .number = $0 { true } else { false } } }
    private var hasLetters: Bool {
        has { if case .text(_, let rules) = $0 { panel.letterBoard(rules.kind) != nil } else { false } }
    }
    /// Questions that are answered by stepping to a place, which is said by its number.
    private var hasPlaces: Bool {
        hasNumbers
            || has {
                switch $0 {
                case .choice, .slider, .dateTime, .active: true
                default: false
                }
            }
    }
    private var hasSliders: Bool { has { if case .slider = $0 { true } else { false } } }
    /// Questions in whose ring one place is "no answer".
    private var hasPlaceForNone: Bool {
        hasSliders && panel.layout != .three
            || has { if case .choice(let format) = $0 { !format.isMultiple } else { false } }
    }
    private var hasDates: Bool { has { if case .dateTime = $0 { true } else { false } } }
    private var hasActive: Bool { has { if case .active = $0 { true } else { false } } }
    private var hasCountdowns: Bool { has { if case .countdown = $0 { true } else { false } } }
    /// Answers that are recordings of sound.
    private var hasMemos: Bool {
        has {
            switch $0 {
            case .recording: true
            case .text(_, let rules): panel.letterBoard(rules.kind) == nil
            default: false
            }
        }
    }
    private var hasReactions: Bool {
        performs(VigilanceRules.self)
            || has { if case .active(let task) = $0 { task.rules is any ReactionPlay } else { false } }
    }

    private func performs<Rules>(_ rules: Rules.Type) -> Bool {
        has { if case .active(let task) = $0 { task.rules is Rules } else { false } }
    }
}
