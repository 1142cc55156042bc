// SPDX-License-Identifier: Apache-2.0
import Base

/// One question being answered by gestures. Pure: gestures go in, cues and the answer come out. A `TaskRun`
/// makes one for each presentation, calls `begin` once, and then `handle` for every event until the
/// question is answered or left.
///
/// Common to all kinds: `select` before anything else leaves the question out, `undo` takes one
/// step of the entry back, and at the beginning leads to the question before. Where a kind differs
/// its diagram says so.
package protocol QuestionMachine: Sendable {
    /// What is said when the question opens, after its card number.
    mutating func begin() -> [QuestionEffect]
    /// Takes an event; a press may be delivered a little after it was made.
    mutating func handle(_ event: QuestionEvent) -> [QuestionEffect]
    /// The next press on the way to `wanted`, nil where no press of this kind leads there.
    func press(towards wanted: Wanted) -> Press?
    /// When it wants a `.tick`; nil = never.
    var wake: MonotonicTime? { get }
    /// True while it goes on without presses: the run must not take their absence for a participant who left.
    var isUnderWay: Bool { get }
    /// It waits for what the device measures, and presses mean nothing.
    var awaitsDevice: Bool { get }
    /// True where presses are for the question (`QuestionEvent.edge`), and make no gestures; only the long
    /// hold that opens the menu still does.
    var takesPresses: Bool { get }
    /// On two buttons: true where every repetition of a held button is a step; else a hold counts once.
    var isWalkedByHolds: Bool { get }
    /// The place that was stepped to, as it was said: for a drawn panel. Nil before the first step, and where
    /// there are no places.
    var currentPlace: Cue? { get }
    /// The numbers on the card of what is ticked.
    var tickedNumbers: [Int] { get }
    /// What is entered or built so far (a date, a number, towers), in lines for a drawn panel; with a real
    /// board the participant only hears it. Empty where there is nothing yet.
    func drawing(in words: Words) -> [String]
    /// What a gesture does in this kind alone; nil where it does what it does in every question.
    func meaning(of gesture: Gesture) -> PanelMeaning?
    /// The next press of a scripted participant who performs; nil = wait.
    func move(_ strategy: PerformanceStrategy, using generator: inout SplitMix64) -> PerformanceMove?
}

extension QuestionMachine {
    /// Nothing: choices are said once they are stepped to, and readings are taken at the press.
    package mutating func begin() -> [QuestionEffect] { [] }
    package var wake: MonotonicTime? { nil }
    package var isUnderWay: Bool { false }
    package var awaitsDevice: Bool { false }
    package var takesPresses: Bool { false }
    package var isWalkedByHolds: Bool { false }
    package var currentPlace: Cue? { nil }
    package var tickedNumbers: [Int] { [] }
    package func drawing(in words: Words) -> [String] { [] }
    package func meaning(of gesture: Gesture) -> PanelMeaning? { nil }
    package func move(_ strategy: PerformanceStrategy, using generator: inout SplitMix64) -> PerformanceMove? { nil }
}
