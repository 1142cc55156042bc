// SPDX-License-Identifier: Apache-2.0
import StudyModel

/// A picture on the sheet, or a sound that is played, and acknowledged.
///
/// ```
///  playing ── select ──▶ passed (a sound is stopped)
///   └── next, previous: played again      undo: back
/// ```
public struct MediaStep: QuestionMachine {
    /// Told where a sound stays silent.
    static let unplayable = "This sound cannot be played"

    private let media: MediaReference
    private let plays: Bool

    /// `plays` where it is sound and the panel has a loudspeaker.
    public init(_ media: MediaReference, plays: Bool) {
        self.media = media
        self.plays = plays
    }

    /// The sound, where there is one to be played.
    public mutating func begin() -> [QuestionEffect] { plays ? [.play(media)] : [] }

    /// The arrows of the diagram; holding counts once. Passing is `leftOut`: there is no answer.
    public mutating func handle(_ event: QuestionEvent) -> [QuestionEffect] {
        let stop: [QuestionEffect] = plays ? [.stopPlaying] : []
        return switch event {
        case .gesture(.select, 0): stop + [.leftOut]
        case .gesture(.next, 0), .gesture(.previous, 0): plays ? [.play(media)] : [.repeatText]
        case .gesture(.undo, 0): stop + [.back]
        case .soundFailed: [.tell(.fault(Self.unplayable))]
        default: []
        }
    }

    /// The acknowledgement, whatever is wanted.
    public func press(towards wanted: Wanted) -> Press? { Press(.select) }
}
