// SPDX-License-Identifier: Apache-2.0

/// What a scripted participant decides other than answers: which prompts are answered, and what is
/// done without one.
///
/// `PressPlanner` asks for the decisions. Each is drawn when it is first asked for, and kept. They have a random
/// generator of their own: the same seed gives the same days, and a changed habit does not change the
/// answers. A share of 0 draws nothing (`happens`), so that a habit added here later leaves the days of older
/// seeds as they were.
struct ParticipantHabits: Sendable {
    /// What becomes of a prompt.
    enum Fate: Sendable {
        case answer
        /// There is no reaction to it.
        case miss
        /// It is put off.
        case delay
        case decline
        /// It makes the participant switch prompts off for some hours.
        case silence
    }

    private let participant: Participant
    private var generator: SplitMix64
    private var fates: [String: Fate] = [:]
    /// Occurrences that had a prompt: the list is not looked through for them.
    private var prompted: Set<String> = []
    /// Entries of the list for which opening was drawn.
    private var considered: Set<String> = []
    /// Entries to be opened, in the order in which they were seen.
    private(set) var toOpen: [String] = []
    /// By run: after how many presented questions it is left; nil = it is not.
    private var leaving: [String: Int?] = [:]
    /// By run: whether it is done slowly.
    private var dawdling: [String: Bool] = [:]
    /// `<run>/<step>` for which going back was drawn.
    private var wentBack: Set<String> = []

    init(_ participant: Participant, seed: UInt64) {
        self.participant = participant
        // Any constant separates these draws from those of the answers, which have the seed itself.
        generator = SplitMix64(seed: seed ^ 0x4841_4E44)
    }

    /// Takes in what the panel has: prompts that came, and what is open without one.
    mutating func observe(_ conductor: StudyConductor, opensList: Bool) {
        for waiting in conductor.session.waiting {
            prompted.insert(waiting.item.id)
            // It will come again as if new, so its fate is drawn again then.
            if waiting.putOffUntil != nil, fates[waiting.item.id] == .delay { fates[waiting.item.id] = nil }
        }
        guard opensList else { return }
        toOpen.removeAll { id in !conductor.session.items.contains { $0.id == id } }
        for item in conductor.session.items where !item.isAside && !prompted.contains(item.id) {
            guard considered.insert(item.id).inserted else { continue }
            if happens(participant.opens ?? 1) { toOpen.append(item.id) }
        }
    }

    /// Drops an entry that was opened, or that cannot be.
    mutating func forget(_ item: String) { toOpen.removeAll { $0 == item } }

    /// What becomes of a prompt; drawn when it is asked for first.
    mutating func fate(of prompt: String) -> Fate {
        if let fate = fates[prompt] { return fate }
        let share = generator.unit()
        let shares: [(share: Double, fate: Fate)] = [
            (participant.misses, .miss), (participant.delays, .delay), (participant.declines, .decline),
            (participant.silences, .silence),
        ]
        var sum = 0.0
        var fate = Fate.answer
        for part in shares where fate == .answer {
            sum += part.share
            if share < sum { fate = part.fate }
        }
        fates[prompt] = fate
        return fate
    }

    /// Whether the run is to be left now: at one of its questions, drawn when it is begun.
    mutating func leaves(_ run: TaskRun) -> Bool {
        let steps = run.opened.order.count
        let place: Int?
        if let drawn = leaving[run.id] {
            place = drawn
        } else {
            place = participant.leaves > 0 && happens(participant.leaves) ? 1 + generator.below(max(1, steps)) : nil
            leaving[run.id] = .some(place)
        }
        guard let place else { return false }
        if case .active? = run.current?.format { return false }
        return run.questions.count >= place || run.isInReview
    }

    /// Whether the run is done slowly, drawn when it is begun.
    mutating func dawdles(_ run: TaskRun) -> Bool {
        guard participant.dawdles > 0 else { return false }
        let isSlow = dawdling[run.id] ?? happens(participant.dawdles)
        dawdling[run.id] = isSlow
        return isSlow
    }

    /// Whether the participant goes back to the question before instead of answering; once for each
    /// question of a run.
    mutating func goesBack(_ run: TaskRun, from step: Step) -> Bool {
        guard participant.goesBack > 0, run.questions.count > 1, wentBack.insert(run.id + "/" + step.key).inserted
        else { return false }
        return happens(participant.goesBack)
    }

    private mutating func happens(_ share: Double) -> Bool { share > 0 && generator.unit() < share }
}
