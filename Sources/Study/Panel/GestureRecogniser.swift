// SPDX-License-Identifier: Apache-2.0
import Base

/// Turns button edges into gestures, by each button's `HoldTable`. Pure: edges and times go in, gestures come
/// out. The panel (`PressHistory`) calls `handle` for each edge, and `tick` at `wake`.
///
/// ```
///              press                         tick: next level ─▶ .held
///  released ───────────▶ held(button, since) ◀──────────┐
///      ▲   (immediate:       │      └───────────────────┘ tick: repetition ─▶ gesture
///      │    gesture)         │ release ─▶ gesture of the level reached
///      └─────────────────────┘ press of the same button again: its release was lost, a new hold begins
/// ```
/// While one button is held the others are ignored, so that a clumsy grip gives one gesture; a marker
/// is a button apart, taken at its press whatever is held. For
/// slow hands (`HoldTimes.bridge`) a release counts when the button was not pressed again for a
/// while, and until then the button is held:
///
/// ```
///  held ── release ──▶ let go ── no press for the bridge ──▶ gesture of the level reached at the release
///    ▲                   │
///    └── the same button ┘
/// ```
package struct GestureRecogniser: Sendable {
    package enum Recognised: Sendable, Hashable {
        /// `repeats` counts from 0, the press itself.
        case gesture(Gesture, repeats: Int)
        /// The button has been held to this level and would now mean `gesture`.
        case held(level: Int, Gesture)
        /// A marker of that number was pressed.
        case marked(button: Int, at: MonotonicTime)
    }
    private struct Hold: Sendable {
        let button: Int
        let since: MonotonicTime
        /// The last level, or for a button that repeats the last repetition, that was reported.
        var reached = 0
        /// How often a hold that steps back was reported as a repetition.
        var repeated = 0
        /// When it was let go; until the bridge is over, pressing it again continues the same hold.
        var released: MonotonicTime?
    }
    private let tables: [HoldTable]
    private let bridge: Duration
    private let markers: Set<Int>
    private var markerEdges: [Int: MonotonicTime] = [:]
    private var hold: Hold?

    package init(_ panel: Panel) {
        tables = panel.holdTables
        bridge = panel.holdTimes.bridge
        markers = Set(panel.buttons.indices.filter { panel.buttons[$0].role == .marker })
    }

    /// The button that is held, or was let go and waits for the bridge; nil where none is.
    package var held: Int? { hold?.button }
    /// A button was let go and its gesture waits for the bridge.
    package var isLetGo: Bool { hold?.released != nil }

    package var wake: MonotonicTime? {
        guard let hold else { return nil }
        if let released = hold.released { return released + bridge }
        let table = tables[hold.button]
        if table.repeatsFromPress {
            guard hold.reached < HoldTable.repeatLimit else { return nil }
            return hold.since + table.repeatTime(hold.reached + 1)
        }
        let level = hold.reached + 1 < table.levels.count ? hold.since + table.levels[hold.reached + 1].after : nil
        return earliest(level, heldRepetition(hold, table))
    }

    /// When the stepping button of two, held in level 1 to step back, gives its gesture again.
    private func heldRepetition(_ hold: Hold, _ table: HoldTable) -> MonotonicTime? {
        guard table.repeatsStepBack, hold.reached == 1 else { return nil }
        return hold.since + table.heldRepeatTime(hold.repeated + 1)
    }

    /// Takes an edge. An unknown button and a release without its press give nothing.
    package mutating func handle(_ event: ButtonEvent) -> [Recognised] {
        guard tables.indices.contains(event.button) else { return [] }
        if markers.contains(event.button) { return mark(event) }
        return event.isPressed ? finish(at: event.time) + press(event) : release(event)
    }

    /// Takes the edge of a marker. A press that comes sooner than the bridge after the last edge is a finger
    /// that trembles.
    private mutating func mark(_ event: ButtonEvent) -> [Recognised] {
        let last = markerEdges.updateValue(event.time, forKey: event.button)
        guard event.isPressed, last.map({ event.time - $0 >= bridge }) ?? true else { return [] }
        return [.marked(button: event.button, at: event.time)]
    }

    /// Time has come to `now`: levels reached and repetitions due.
    package mutating func tick(at now: MonotonicTime) -> [Recognised] {
        var recognised = finish(at: now)
        while let due = wake, due <= now, let held = hold {
            let button = held.button
            // Repetitions of a step back end at the next level; `HoldTable` gives three where `repeatsStepBack`.
            if heldRepetition(held, tables[button]) == due, due < held.since + tables[button].levels[2].after {
                hold?.repeated += 1
                recognised.append(.gesture(tables[button].levels[1].gesture, repeats: held.repeated + 1))
                continue
            }
            hold?.reached += 1
            let reached = hold?.reached ?? 0
            let table = tables[button]
            recognised.append(
                table.repeatsFromPress
                    ? .gesture(table.levels[0].gesture, repeats: reached)
                    : .held(level: reached, table.levels[reached].gesture))
        }
        return recognised
    }

    /// Ends a hold that was let go and not pressed again within the bridge, with its gesture.
    private mutating func finish(at now: MonotonicTime) -> [Recognised] {
        guard let ended = hold, let released = ended.released, released + bridge <= now else { return [] }
        hold = nil
        return gesture(of: ended, released: released)
    }

    private func gesture(of hold: Hold, released: MonotonicTime) -> [Recognised] {
        let table = tables[hold.button]
        if table.isImmediate { return [] }
        return [.gesture(table.levels[table.level(of: released - hold.since)].gesture, repeats: 0)]
    }

    private mutating func press(_ event: ButtonEvent) -> [Recognised] {
        if hold?.button == event.button, hold?.released != nil {
            hold?.released = nil
            return []
        }
        let table = tables[event.button]
        guard hold == nil || hold?.button == event.button, let first = table.levels.first else { return [] }
        hold = Hold(button: event.button, since: event.time)
        return table.isImmediate ? [.gesture(first.gesture, repeats: 0)] : []
    }

    private mutating func release(_ event: ButtonEvent) -> [Recognised] {
        guard let ended = hold, ended.button == event.button, ended.released == nil else { return [] }
        hold?.released = event.time
        return bridge > .zero ? [] : finish(at: event.time)
    }
}
