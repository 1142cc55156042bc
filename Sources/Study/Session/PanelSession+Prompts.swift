// SPDX-License-Identifier: Apache-2.0
import Base

/// What can be done with a prompt besides taking it up.
enum NotNow: CaseIterable, Sendable {
    case takeUp, putOff, decline

    var phrase: Phrase {
        switch self {
        case .takeUp: PanelPhrases.takeUp
        case .putOff: PanelPhrases.later
        case .decline: PanelPhrases.notThisTime
        }
    }
}

extension PanelSession {
    mutating func promptDue(_ item: PromptItem, at now: MonotonicTime) {
        guard promptsAreOn, !waiting.contains(where: { $0.item.id == item.id }) else { return }
        waiting.append(Waiting(item: item, nextTelling: now))
        if isIdle { announcePrompts(at: now) }
    }

    mutating func promptWithdrawn(_ id: String, at now: MonotonicTime) {
        let wasTold = currentPrompt?.id == id
        waiting.removeAll { $0.item.id == id }
        switch state {
        case .idle where wasTold: cues.append(.expired)
        case .notNow(id, _):
            cues.append(.expired)
            rest(at: now)
        default: break
        }
    }

    /// Tells the first prompt if its time has come.
    mutating func announcePrompts(at now: MonotonicTime) {
        guard isIdle, let index = waiting.firstIndex(where: { $0.putOffUntil == nil }),
            let due = waiting[index].nextTelling, due <= now
        else { return }
        let prompt = waiting[index]
        if prompt.told == 0 { effects.append(.promptPresented(prompt.item.id)) }
        waiting[index].nextTelling =
            prompt.told < limits.promptRepeats.count ? now + limits.promptRepeats[prompt.told] : nil
        waiting[index].told += 1
        cues += cue(prompt.item)
        nextAlive = now + limits.alive
    }

    /// Prompts that were put off come again, as if new.
    mutating func bringBack(at now: MonotonicTime) {
        for index in waiting.indices {
            guard let due = waiting[index].putOffUntil, due <= now else { continue }
            waiting[index].putOffUntil = nil
            waiting[index].nextTelling = now
        }
    }

    /// A sign of life, or the light of a prompt that has been told often enough, or of a fault;
    /// without a sound.
    mutating func tickIdle(at now: MonotonicTime) {
        announcePrompts(at: now)
        guard nextAlive <= now else { return }
        nextAlive = now + limits.alive
        let cue =
            currentPrompt.map(cue)?.first ?? fault.map { Cue.fault(FaultPhrases.phrase(for: $0)) }
            ?? (isRecording ? .recording : .alive)
        effects.append(.device(.signal(signals.plan(cue).lightOnly)))
    }

    mutating func handleIdle(_ gesture: Gesture, at now: MonotonicTime) {
        switch (gesture, currentPrompt) {
        case (.menu, _): openMenu()
        case (.task(let key), _): open(key, quick: nil, at: now)
        case (.cancel, _): effects.append(.device(.stopSignals))
        case (_, nil): openList()
        case (.undo, let prompt?): notNow(prompt.id, Ring(count: NotNow.allCases.count, at: 1))
        case (_, let prompt?) where isAnswer(gesture, to: prompt): accept(prompt.id, quick: gesture, at: now)
        case (.previous, let prompt?): notNow(prompt.id, Ring(count: NotNow.allCases.count, at: 1))
        case (_, let prompt?): accept(prompt.id, quick: nil, at: now)
        }
    }

    mutating func handleNotNow(_ id: String, _ ring: Ring, _ gesture: Gesture, at now: MonotonicTime) {
        var ring = ring
        if ring.move(gesture) { return notNow(id, ring) }
        switch (gesture, NotNow.allCases[ring.index]) {
        case (.select, .takeUp): accept(id, quick: nil, at: now)
        case (.select, .putOff): putOff(id, at: now)
        case (.select, .decline):
            waiting.removeAll { $0.item.id == id }
            effects.append(.decline(id))
            cues.append(.accepted)
            rest(at: now)
        case (.undo, _), (.cancel, _), (.menu, _): rest(at: now)
        default: break
        }
    }

    private func cue(_ item: PromptItem) -> [Cue] {
        [.prompt(title: item.text.title, message: item.text.message)]
            + (item.quickCard.map { [.card($0, text: question(onCard: $0))] } ?? [])
    }

    private func question(onCard number: Int) -> String {
        cards.cards.first { $0.number == number }?.step.text ?? ""
    }

    private func isAnswer(_ gesture: Gesture, to prompt: PromptItem) -> Bool {
        guard prompt.quickCard != nil else { return false }
        return gesture == panel.layout.yes || gesture == panel.layout.no
    }

    private mutating func notNow(_ id: String, _ ring: Ring) {
        state = .notNow(id, ring)
        cues.append(.menuItem(ring.index + 1, NotNow.allCases[ring.index].phrase))
    }

    private mutating func accept(_ id: String, quick: Gesture?, at now: MonotonicTime) {
        waiting.removeAll { $0.item.id == id }
        effects.append(.acceptPrompt(id))
        open(id, quick: quick, at: now)
    }

    private mutating func putOff(_ id: String, at now: MonotonicTime) {
        guard let index = waiting.firstIndex(where: { $0.item.id == id }) else { return rest(at: now) }
        waiting[index].putOffUntil = now + limits.putOff
        waiting[index].told = 1
        effects.append(.putOff(id))
        cues.append(.putOff)
        rest(at: now)
    }
}
