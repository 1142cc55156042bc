// SPDX-License-Identifier: Apache-2.0
import Base

/// What came out of a vigilance test, made by `Vigilance`. Light and press are stamped by one clock,
/// CLOCK_MONOTONIC. The event log keeps it by the names of its properties (`PerformanceRecord`).
package struct VigilanceRecord: PerformanceRecord {
    package struct Trial: LoggedRecord {
        /// Whole milliseconds that had passed; -2 for a press before the light, -1
        /// for none in time.
        package let value: Int
        /// From the trial's beginning to its light, or to the press that came before it.
        package let waited: Duration
        /// From the light to the press, as measured; nil where there was none after a light.
        package let reaction: Duration?
        /// Half the time that switching the light on took: the light may be earlier or later by
        /// this.
        package let uncertainty: Duration
        package init(value: Int, waited: Duration, reaction: Duration?, uncertainty: Duration) {
            (self.value, self.waited, self.reaction, self.uncertainty) = (value, waited, reaction, uncertainty)
        }

        /// The press came before the light.
        package static let early = -2
        /// No press came in time.
        package static let late = -1

        fileprivate var fields: [JSONText.Member] {
            [.init("value", .integer(Int64(value))), .init("waited", .seconds(waited))]
                + (reaction.map { [.init("reaction", .seconds($0))] } ?? [])
                + [.init("uncertainty", .seconds(uncertainty))]
        }
    }
    /// In order, repeated ones too.
    package let trials: [Trial]
    /// Trials thrown away because the light did not go on, or because the menu was opened.
    package let void: Int
    /// Stopped by the participant before its end.
    package let isLeft: Bool

    package init(trials: [Trial], void: Int, isLeft: Bool) {
        (self.trials, self.void, self.isLeft) = (trials, void, isLeft)
    }

    /// momenTUM's spelling: `312,-2,289`.
    package var text: String { trials.map { String($0.value) }.joined(separator: ",") }
    /// In milliseconds; trials without a press in time are left out.
    package var reactions: [Int] { trials.map(\.value).filter { $0 >= 0 } }

    /// Mean of the reactions in time, in milliseconds; nil where there are none.
    private var mean: Double? {
        let reactions = reactions
        return reactions.isEmpty ? nil : Double(reactions.reduce(0, +)) / Double(reactions.count)
    }

    package static var kind: String { "vigilance" }

    package var figures: [PerformanceFigure] {
        [PerformanceFigure("meanReaction", mean.map { .number($0) } ?? .none)]
    }

    package var mainFigure: String { "meanReaction" }

    /// momenTUM's own spelling beside what was measured; `uncertainty` is that of the light's time.
    package var fields: [JSONText.Member] {
        [
            .init("reaction_times", .string(text)), .init("trials", .array(trials.map { .object($0.fields) })),
            .init("void", .integer(Int64(void))), .init("isLeft", .boolean(isLeft)),
        ]
    }
}
