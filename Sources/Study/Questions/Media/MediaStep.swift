// SPDX-License-Identifier: Apache-2.0

/// A picture on the sheet, or a sound that is played, and acknowledged.
///
/// ```
///  playing ── select ──▶ passed (a sound is stopped)
///   └── next, previous: played again      undo: back
/// ```
package struct MediaStep: QuestionMachine {
    private let media: MediaReference
    private let plays: Bool

    /// `plays` where it is sound and the panel has a loudspeaker.
    package init(_ media: MediaReference, plays: Bool) { (self.media, self.plays) = (media, plays) }

    /// The sound, where there is one to be played; for a photo, that none can be taken.
    package mutating func begin() -> [QuestionEffect] {
        if media.kind == .photo { return [.say(.say(MediaPhrases.noCamera))] }
        return plays ? [.device(.play(media))] : []
    }

    /// Passing is `leftOut`: there is no answer.
    package mutating func handle(_ event: QuestionEvent) -> [QuestionEffect] {
        let stop: [QuestionEffect] = plays ? [.device(.stopPlaying)] : []
        return switch event {
        case .gesture(.select, 0): stop + [.leftOut]
        case .gesture(.next, 0), .gesture(.previous, 0): plays ? [.device(.play(media))] : [.repeatText]
        case .gesture(.undo, 0): stop + [.back]
        case .device(.soundFailed): [.say(.fault(MediaPhrases.unplayable))]
        default: []
        }
    }

    package func press(towards wanted: Wanted) -> Press? { Press(.select) }
}

enum MediaPhrases {
    /// Said where a sound stays silent.
    static let unplayable = Phrase("This sound cannot be played")
    /// Said and printed where a photo was to be taken.
    static let noCamera = Phrase("This device has no camera: no photo is taken")
    static let howTo = Phrase("{0} to continue, {1} to repeat")
    /// Before the address of what is not on the sheet.
    static let kinds: [MediaReference.Kind: Phrase] = [
        .image: Phrase("image"), .audio: Phrase("audio"),
        .video: Phrase("video"), .web: Phrase("web"),
    ]
    static let notFetched = Phrase("picture (not downloaded)")
    static let yourID = Phrase("your participant id:")
}
