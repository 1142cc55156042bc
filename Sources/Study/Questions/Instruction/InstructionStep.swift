// SPDX-License-Identifier: Apache-2.0

/// Something that is said and acknowledged, maybe with a picture on the sheet, or a sound that is played.
/// `InstructionKind` and `MediaKind` make it, and `TaskRun` drives it.
///
/// ```
///  said ── select ──▶ passed (a sound is stopped)
///   └── next, previous: said or played again      undo: back
/// ```
package struct InstructionStep: QuestionMachine {
    private let media: MediaReference?
    /// The sound is played from its beginning, or is stopped; nothing where there is none.
    private let play, stop: [QuestionEffect]

    /// `plays` where the media is sound and the panel has a loudspeaker.
    package init(_ media: MediaReference? = nil, plays: Bool = false) {
        self.media = media
        let sound = plays ? media : nil
        play = sound.map { [.device(.play($0))] } ?? []
        stop = play.isEmpty ? [] : [.device(.stopPlaying)]
    }

    /// The sound; for a photo, that none can be taken.
    package mutating func begin() -> [QuestionEffect] {
        media?.kind == .photo ? [.say(.say(MediaPhrases.noCamera))] : play
    }

    /// Passing is `leftOut`: there is no answer.
    package mutating func handle(_ event: QuestionEvent) -> [QuestionEffect] {
        switch event {
        case .gesture(.select, 0): stop + [.leftOut]
        case .gesture(.next, 0), .gesture(.previous, 0): play.isEmpty ? [.repeatText] : play
        case .gesture(.undo, 0): stop + [.back]
        case .device(.soundFailed) where media != nil: [.say(.fault(MediaPhrases.unplayable))]
        default: []
        }
    }

    package func press(towards wanted: Wanted) -> Press? { Press(.select) }
}

enum InstructionPhrases {
    static let howTo = Phrase("{0} to continue, {1} to repeat")
}
