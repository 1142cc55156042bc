// SPDX-License-Identifier: Apache-2.0
import StudyModel
import Times

/// One question being answered by gestures. Pure: gestures go in, cues and the answer come out.
///
/// Common to all kinds: `select` before anything else leaves the question out, `undo` takes one step of the entry back, and
/// at the beginning leads to the question before. Where a kind differs its diagram says so.
public protocol QuestionMachine: Sendable {
    /// What is told when the question opens, after its card number.
    mutating func begin() -> [QuestionEffect]
    /// A gesture, or news of a recording.
    mutating func handle(_ event: QuestionEvent) -> [QuestionEffect]
    /// The next press on the way to `wanted`, nil where no press of this kind leads there.
    func press(towards wanted: Wanted) -> Press?
    /// When it wants a `.tick`; nil = never.
    var wake: MonotonicTime? { get }
    /// True while nobody needs to press for long, and the run must not take that for absence.
    var isUnderWay: Bool { get }
    /// True where it wants the presses themselves, whatever they mean elsewhere; only the long hold for the menu is left.
    var takesPresses: Bool { get }
    /// The next press of a scripted participant who performs; nil = wait.
    func move(_ strategy: PerformanceStrategy, using generator: inout SplitMix64) -> PerformanceMove?
}

extension QuestionMachine {
    /// Never: most questions wait for as long as the participant likes.
    public var wake: MonotonicTime? { nil }
    /// False: who does not press has gone away.
    public var isUnderWay: Bool { false }
    /// False: gestures are enough.
    public var takesPresses: Bool { false }
    /// Questions are answered, not performed.
    public func move(_ strategy: PerformanceStrategy, using generator: inout SplitMix64) -> PerformanceMove? { nil }
}

/// What a question is told.
public enum QuestionEvent: Sendable, Hashable {
    /// `repeats` counts from 0, the press itself; above it the button is being held.
    case gesture(Gesture, repeats: Int)
    /// The recording could not be made or has reached its longest time.
    case recordingFailed, recordingFull
    /// The sound that was to be played cannot be.
    case soundFailed
    /// A press or release, for machines that take presses; before the gesture it makes.
    case edge(ButtonEvent)
    /// Its `wake` has come.
    case tick(MonotonicTime)
    /// The light of a stimulus was switched.
    case shown(ShownLight)
    /// The menu was opened over it, and closed again.
    case interrupted, resumed
    /// Where the device is; nil = it does not know.
    case position(latitude: Double, longitude: Double)
    case noPosition
    /// The participant wants no more of it. No effect = it is left out.
    case gaveUp
}

/// What a question wants.
public enum QuestionEffect: Sendable, Hashable {
    case tell(Cue)
    /// The question's text again.
    case repeatText
    case answered(AnswerValue)
    /// It was passed over.
    case leftOut
    /// To the question before.
    case back
    case device(DeviceEffect)
    /// What must be kept so that it can go on after a restart.
    case progress(TaskProgress)
}

/// What a question needs to know of its surroundings.
public struct QuestionContext: Sendable {
    /// What there is to tell with and to press.
    public let panel: Panel
    /// What the participant's wall clock shows when the question opens.
    public let now: LocalDateTime
    /// From which the ids of recordings are made; unique on the device.
    public let recordingID: String
    /// The order in which options are told, as positions in the file; nil = the file's.
    public let optionOrder: [Int]?
    /// For what an active task draws.
    public let generator: SplitMix64
    /// CLOCK_MONOTONIC when it opens.
    public let time: MonotonicTime
    /// Where a performance goes on after a restart; nil = from its beginning.
    public let progress: BrokenPerformance?

    public init(
        panel: Panel, now: LocalDateTime, recordingID: String, optionOrder: [Int]? = nil,
        generator: SplitMix64 = SplitMix64(seed: 0), time: MonotonicTime = .zero,
        progress: BrokenPerformance? = nil
    ) {
        self.panel = panel
        self.now = now
        self.recordingID = recordingID
        self.optionOrder = optionOrder
        self.generator = generator
        self.time = time
        self.progress = progress
    }
}

extension AnswerFormat {
    /// The machine that asks in this format. Whether the panel can is said by `PanelSupport`.
    public func machine(in context: QuestionContext) -> any QuestionMachine {
        kind.machine(in: context)
    }
}
