// SPDX-License-Identifier: Apache-2.0
import Base

/// The tower of Hanoi on the buttons: `ActiveTaskKind` asks its rules for it, and `TaskRun` drives it.
///
/// Three buttons are the three towers, pressed as they lie: previous, select, next. With one or
/// two, `next` walks through the towers and `select` chooses. A first choice takes a disk from a
/// tower and says all of its disks, a second puts it down; the same tower again takes the choice
/// back and says how the disks lie. The press that becomes the hold for the menu chooses nothing.
/// Given up by leaving it out in the menu, it ends unsolved.
package struct TowerOfHanoiStep: QuestionMachine {
    private let layout: Panel.Layout
    /// The buttons of towers 1, 2 and 3; empty where they are walked through.
    private let buttons: [Int]
    private var puzzle: TowerOfHanoi
    /// The tower that was walked to; of no use where each tower has a button.
    private var ring = Ring(count: 3)
    /// The time of the press that chooses.
    private var pressed: MonotonicTime
    private var presses: HeldPresses

    package init(_ rules: TowerOfHanoiRules, in context: QuestionContext) {
        layout = context.panel.layout
        let towers: [Panel.Role] = [.previous, .select, .next]
        buttons = context.panel.layout == .three ? towers.compactMap(context.panel.button) : []
        puzzle = TowerOfHanoi(rules)
        pressed = context.time
        presses = HeldPresses(context.panel)
    }

    package mutating func begin() -> [QuestionEffect] { [.say(.towers(puzzle.towers))] }

    /// Presses where there are three buttons, gestures where there are fewer.
    package mutating func handle(_ event: QuestionEvent) -> [QuestionEffect] {
        switch event {
        case .edge(let edge) where buttons.isEmpty:
            if edge.isPressed { pressed = edge.time }
            return []
        case .edge(let edge): return presses.take(edge).flatMap { choose(by: $0) }
        case .gesture(let gesture, 0) where buttons.isEmpty: return handle(gesture)
        case .interrupted:
            presses.drop()
            puzzle.clearChoice()
            return []
        case .resumed: return begin()
        case .gaveUp: return [.performed(puzzle.record)]
        default: return []
        }
    }

    /// Where each tower has its button; with fewer buttons the towers are chosen from a ring by
    /// gestures.
    package var takesPresses: Bool { !buttons.isEmpty }

    /// Nil: a scripted participant performs it by `move`, or gives it up by the menu.
    package func press(towards wanted: Wanted) -> Press? { nil }

    private mutating func handle(_ gesture: Gesture) -> [QuestionEffect] {
        if ring.move(gesture) { return [.say(.menuItem(ring.index + 1, GamePhrases.towers[ring.index]))] }
        switch gesture {
        case .select: return choose(ring.index)
        case .undo where puzzle.donor == nil: return begin()
        case .undo:
            puzzle.clearChoice()
            return [.say(.undone)] + begin()
        default: return []
        }
    }

    private mutating func choose(by press: ButtonEvent) -> [QuestionEffect] {
        pressed = press.time
        return buttons.firstIndex(of: press.button).map { choose($0) } ?? []
    }

    private mutating func choose(_ tower: Int) -> [QuestionEffect] {
        switch puzzle.choose(tower, at: pressed) {
        case .chosen: [.say(.tower(tower, puzzle.towers[tower]))]
        case .cleared: [.say(.undone)] + begin()
        case .illegal: [.say(.refused)]
        case .moved: [.say(.accepted)] + begin()
        case .solved: [.say(.won), .performed(puzzle.record)]
        case .over: []
        }
    }

    /// The next press of a scripted participant: perfect takes the shortest way; random chooses any tower; fail
    /// presses nothing, and the run's time limit ends it.
    package func move(_ strategy: PerformanceStrategy, using generator: inout SplitMix64) -> PerformanceMove? {
        switch strategy {
        case .perfect, .presses:
            guard let next = puzzle.nextMove else { return nil }
            if let donor = puzzle.donor, donor != next.donor { return press(donor) }
            return press(puzzle.donor == nil ? next.donor : next.recipient)
        case .random: return press(generator.below(3))
        case .fail: return nil
        }
    }

    private func press(_ tower: Int) -> PerformanceMove {
        buttons.isEmpty
            ? PerformanceMove(.gesture(ring.press(to: tower, layout: layout)))
            : PerformanceMove(.button(buttons[tower]))
    }
}

extension TowerOfHanoiStep {
    /// The three towers from the side, a disk of size n being 2n - 1 characters wide; the tower that a disk
    /// is taken from, or that was stepped to, is marked below.
    package func drawing(in words: Words) -> [String] {
        let height = puzzle.towers.map(\.count).reduce(0, +)
        let width = max(2 * height - 1, words(GamePhrases.towers[0]).count + 2)
        let rows = (0..<height).reversed().map { level in
            puzzle.towers.map { tower in
                Self.centred(level < tower.count ? String(repeating: "█", count: 2 * tower[level] - 1) : "│", width)
            }.joined(separator: " ")
        }
        let names = puzzle.towers.indices.map { tower in
            let name = words(GamePhrases.towers[tower])
            return Self.centred(tower == marked ? "[\(name)]" : name, width)
        }
        return rows + [names.joined(separator: " ")]
    }

    package func meaning(of gesture: Gesture) -> PanelMeaning? {
        let towers: [Gesture] = [.previous, .select, .next]
        if !buttons.isEmpty, let tower = towers.firstIndex(of: gesture) { return .phrase(GamePhrases.towers[tower]) }
        if gesture == .select { return .phrase(MeaningPhrases.choose) }
        return gesture == .undo && puzzle.donor == nil ? .phrase(MeaningPhrases.again) : nil
    }

    /// The tower that the drawing marks.
    private var marked: Int? { puzzle.donor ?? (buttons.isEmpty ? ring.index : nil) }

    private static func centred(_ text: String, _ width: Int) -> String {
        let left = max(width - text.count, 0) / 2
        let right = max(width - text.count - left, 0)
        return String(repeating: " ", count: left) + text + String(repeating: " ", count: right)
    }
}
