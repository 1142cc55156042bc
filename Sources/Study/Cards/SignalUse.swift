// SPDX-License-Identifier: Apache-2.0

/// Which signals a participant of one study can meet, so that the sheet explains no others.
struct SignalUse {
    private let steps: [Step]
    private let hasLimits: Bool
    private let panel: Panel
    /// Tasks of a single question are submitted by themselves, the others are asked about.
    private let hasSingleQuestions: Bool
    private let hasSeveralQuestions: Bool

    init(_ study: StudyProtocol, on panel: Panel) {
        self.panel = panel
        steps = study.tasks.flatMap(\.content.steps)
        hasLimits =
            study.tasks.contains { task in
                if case .questionnaire(let content) = task.content {
                    content.sections.contains { $0.limit != nil }
                } else {
                    false
                }
            }
            || steps.contains { if case .active = $0.format { true } else { false } }
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
        case .leaveOut: steps.contains { !$0.isRequired && Self.isSingleChoice($0.format) }
        case .done: hasMultiple || hasNumbers || hasLetters
        case .clear: hasNumbers || hasLetters
        case .value: hasNumbers || has { if case .dateTime = $0 { true } else { false } }
        case .confirm: hasSeveralQuestions || hasLetters
        case .undoable: hasSingleQuestions
        case .required: steps.contains(where: \.isRequired)
        case .timeRunningOut: performs(TimedStepRules.self)
        case .expired: hasLimits
        case .recordingStarted, .recordingStopped: hasRecordings
        case .counted: performs(KickCounterRules.self) || performs(TowerOfHanoiRules.self)
        case .towers: performs(TowerOfHanoiRules.self)
        case .watch, .yourTurn, .lost: performs(SpatialSpanRules.self)
        case .won: performs(SpatialSpanRules.self) || performs(TowerOfHanoiRules.self)
        case .reacted, .tooEarly, .tooLate: hasReactions
        default: true
        }
    }

    /// Numbers of several digits, decimals or negative ones can be said.
    var hasLongNumbers: Bool {
        hasNumbers || has { if case .slider(let format) = $0 { format.minimum < 0 || format.step < 1 } else { false } }
    }

    private func has(_ isSuch: (AnswerFormat) -> Bool) -> Bool { steps.contains { isSuch($0.format) } }

    private var hasMultiple: Bool { has { if case .choice(let format) = $0 { format.isMultiple } else { false } } }
    private var hasNumbers: Bool { has { if case .number = $0 { true } else { false } } }
    private var hasLetters: Bool {
        has { if case .text(_, let rules) = $0 { panel.letterBoard(rules.kind) != nil } else { false } }
    }
    private var hasPlaces: Bool {
        hasNumbers
            || has {
                switch $0 {
                case .choice, .slider, .dateTime, .active: true
                default: false
                }
            }
    }
    private var hasRecordings: Bool {
        has {
            switch $0 {
            case .recording, .active: true
            case .text(_, let rules): panel.letterBoard(rules.kind) == nil
            default: false
            }
        }
    }
    private var hasReactions: Bool {
        performs(VigilanceRules.self)
            || has { if case .active(let task) = $0 { task.rules is any ReactionPlay } else { false } }
    }

    private static func isSingleChoice(_ format: AnswerFormat) -> Bool {
        if case .choice(let format) = format { !format.isMultiple } else { false }
    }

    private func performs<Rules>(_ rules: Rules.Type) -> Bool {
        has { if case .active(let task) = $0 { task.rules is Rules } else { false } }
    }
}
