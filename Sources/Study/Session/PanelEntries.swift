// SPDX-License-Identifier: Apache-2.0

/// A list, a menu or a choice of the device itself, and where the participant is in it: for the demo, whose
/// views draw the panel and say what each button would do (`meaning(of:)`).
package struct PanelEntries: Sendable, Hashable {
    /// In the order in which they are walked.
    package let entries: [PanelMeaning]
    /// The entry that the participant is at.
    package let index: Int
}

extension PanelSession {
    /// What can be chosen from now, other than the questions of a study; nil where nothing can.
    package var entries: PanelEntries? {
        switch state {
        case .notNow(_, let ring): PanelEntries(entries: NotNow.allCases.map { .phrase($0.phrase) }, index: ring.index)
        case .list(let ring): PanelEntries(entries: items.map { .label($0.name) }, index: ring.index)
        case .menu(let ring):
            PanelEntries(
                entries: menu.map { .phrase($0.phrase(promptsAreOn: promptsAreOn, isPaused: isPaused)) },
                index: ring.index)
        case .leaving(let dialogue):
            PanelEntries(entries: dialogue.answers.map { .phrase($0) }, index: dialogue.ring.index)
        case .running(let run): run.value.entries
        case .idle, .opening, .saving: nil
        }
    }

    /// What that gesture would do now.
    package func meaning(of gesture: Gesture) -> PanelMeaning {
        if gesture == .cancel { return .nothing }
        switch state {
        case .idle: return idleMeaning(of: gesture)
        case .opening, .saving: return .nothing
        case .running(let run): return run.value.meaning(of: gesture)
        case .notNow, .list, .menu, .leaving:
            switch gesture {
            case .next: return .phrase(MeaningPhrases.next)
            case .previous: return .phrase(MeaningPhrases.previous)
            case .select: return .phrase(MeaningPhrases.choose)
            case .undo, .menu: return .phrase(PanelPhrases.back)
            case .task, .cancel: return .nothing
            }
        }
    }

    /// On the idle panel: it takes up or puts off the prompt, or answers it where it is a yes/no question;
    /// without a prompt it opens the list.
    private func idleMeaning(of gesture: Gesture) -> PanelMeaning {
        if gesture == .menu { return .phrase(MeaningPhrases.menu) }
        if case .task = gesture { return .phrase(MeaningPhrases.task) }
        guard let prompt = currentPrompt else { return .phrase(MeaningPhrases.list) }
        let answers = cards.cards.first { $0.number == prompt.quickCard }?.step.format
        if case .yesNo(let yes, let no)? = answers {
            if gesture == panel.layout.yes { return .label(yes) }
            if gesture == panel.layout.no { return .label(no) }
        }
        return .phrase(gesture == .undo || gesture == .previous ? MeaningPhrases.notNow : MeaningPhrases.start)
    }
}

extension TaskRun {
    /// The run's menu, while it is open; nil otherwise.
    var entries: PanelEntries? {
        guard case .menu(let ring) = state else { return nil }
        return PanelEntries(entries: RunMenu.allCases.map { .phrase($0.phrase) }, index: ring.index)
    }

    func meaning(of gesture: Gesture) -> PanelMeaning {
        switch state {
        case .asking: meaningWhileAsking(of: gesture)
        case .review(let grace):
            switch gesture {
            case .select: .phrase(MeaningPhrases.submit)
            case .menu: .phrase(MeaningPhrases.menu)
            default: .phrase(grace == nil ? MeaningPhrases.backToLastQuestion : MeaningPhrases.takeBack)
            }
        case .menu:
            switch gesture {
            case .next: .phrase(MeaningPhrases.next)
            case .previous: .phrase(MeaningPhrases.previous)
            case .select: .phrase(MeaningPhrases.choose)
            default: .phrase(PanelPhrases.backToQuestion)
            }
        case .leaving: .phrase(gesture == .select ? MeaningPhrases.leave : MeaningPhrases.stay)
        case .ended: .nothing
        }
    }

    private func meaningWhileAsking(of gesture: Gesture) -> PanelMeaning {
        if gesture == .menu { return .phrase(MeaningPhrases.menu) }
        if let own = question.meaning(of: gesture) { return own }
        if gesture == .undo { return question.takesPresses ? .nothing : .phrase(MeaningPhrases.takeBack) }
        let skip: PanelMeaning = mayPassOver ? .phrase(MeaningPhrases.skip) : .nothing
        switch (current?.format, gesture) {
        case (.yesNo(let yes, _)?, panel.layout.yes): return .label(yes)
        case (.yesNo(_, let no)?, panel.layout.no): return .label(no)
        case (.yesNo?, _): return skip
        case (.slider?, .next): return .phrase(panel.layout == .three ? MeaningPhrases.more : MeaningPhrases.next)
        case (.slider?, .previous):
            return .phrase(panel.layout == .three ? MeaningPhrases.less : MeaningPhrases.previous)
        case (.instruction?, .select), (.media?, .select): return .phrase(MeaningPhrases.goOn)
        case (.instruction?, _), (.media?, _): return .phrase(MeaningPhrases.again)
        case (.active?, _): return .nothing
        case (.position?, .next), (.position?, .previous), (.reading?, .next), (.reading?, .previous):
            return .phrase(MeaningPhrases.measure)
        case (.countdown?, .next), (.countdown?, .previous): return .phrase(MeaningPhrases.start)
        case (_, .next): return .phrase(MeaningPhrases.next)
        case (_, .previous): return .phrase(MeaningPhrases.previous)
        case (.choice(let format)?, .select) where format.isMultiple && currentPlace != .done && currentPlace != nil:
            return .phrase(MeaningPhrases.tick)
        case (_, .select): return currentPlace == nil ? skip : .phrase(MeaningPhrases.choose)
        default: return .nothing
        }
    }
}
