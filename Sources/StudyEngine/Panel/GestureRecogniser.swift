// SPDX-License-Identifier: Apache-2.0
import Times

/// Turns button edges into gestures. Pure: edges and times go in, gestures come out.
///
/// ```
///              press                         tick: next level ─▶ .held
///  released ───────────▶ held(button, since) ◀──────────┐
///      ▲   (immediate:       │      └───────────────────┘ tick: repetition ─▶ gesture
///      │    gesture)         │ release ─▶ gesture of the level reached
///      └─────────────────────┘ press of the same button again: its release was lost, a new hold begins
/// ```
/// While one button is held the others are ignored, so that a clumsy grip gives one gesture.
package struct GestureRecogniser: Sendable {
    /// What was recognised.
    package enum Recognised: Sendable, Hashable {
        /// `repeats` counts from 0, the press itself.
        case gesture(Gesture, repeats: Int)
        /// The button has been held to this level and would now mean `gesture`.
        case held(level: Int, Gesture)
    }
    private struct Hold: Sendable {
        let button: Int
        let since: MonotonicTime
        var told = 0
        var repeated = 0
    }
    private let tables: [HoldTable]
    private var hold: Hold?

    /// Recognises the gestures of that panel.
    package init(_ panel: Panel) { tables = panel.buttons.map { HoldTable($0.role) } }

    /// When `tick` next has something to do.
    package var wake: MonotonicTime? {
        guard let hold else { return nil }
        let table = tables[hold.button]
        if table.repeats {
            guard hold.told < HoldTable.repeatLimit else { return nil }
            return hold.since + HoldTable.repeatDelay + HoldTable.repeatPeriod * hold.told
        }
        let level = hold.told + 1 < table.levels.count ? hold.since + table.levels[hold.told + 1].after : nil
        return earliest(level, heldRepetition(hold, table))
    }

    /// When a hold that has reached its first level is told again.
    private func heldRepetition(_ hold: Hold, _ table: HoldTable) -> MonotonicTime? {
        guard table.repeatsHeld, hold.told == 1 else { return nil }
        return hold.since + HoldTable.heldRepeatDelay + HoldTable.repeatPeriod * hold.repeated
    }

    /// Takes an edge. An unknown button and a release without its press give nothing.
    package mutating func handle(_ event: ButtonEvent) -> [Recognised] {
        guard tables.indices.contains(event.button) else { return [] }
        return event.isPressed ? press(event) : release(event)
    }

    /// Time has come to `now`: levels reached and repetitions due.
    package mutating func tick(at now: MonotonicTime) -> [Recognised] {
        var recognised: [Recognised] = []
        while let due = wake, due <= now, let held = hold {
            let button = held.button
            if heldRepetition(held, tables[button]) == due, due < held.since + tables[button].levels[2].after {
                hold?.repeated += 1
                recognised.append(.gesture(tables[button].levels[1].gesture, repeats: held.repeated + 1))
                continue
            }
            hold?.told += 1
            let told = hold?.told ?? 0
            let table = tables[button]
            recognised.append(
                table.repeats
                    ? .gesture(table.levels[0].gesture, repeats: told)
                    : .held(level: told, table.levels[told].gesture))
        }
        return recognised
    }

    private mutating func press(_ event: ButtonEvent) -> [Recognised] {
        let table = tables[event.button]
        guard hold == nil || hold?.button == event.button, let first = table.levels.first else { return [] }
        hold = Hold(button: event.button, since: event.time)
        return table.isImmediate ? [.gesture(first.gesture, repeats: 0)] : []
    }

    private mutating func release(_ event: ButtonEvent) -> [Recognised] {
        guard let ended = hold, ended.button == event.button else { return [] }
        hold = nil
        let table = tables[event.button]
        if table.isImmediate { return [] }
        return [.gesture(table.levels[table.level(of: event.time - ended.since)].gesture, repeats: 0)]
    }
}
