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
    package init(_ media: MediaReference, plays: Bool) {
        self.media = media
        self.plays = plays
    }

    /// The sound, where there is one to be played; for a photo, that none can be taken.
    package mutating func begin() -> [QuestionEffect] {
        if media.kind == .photo { return [.say(.say(MediaPhrases.noCamera))] }
        return plays ? [.device(.play(media))] : []
    }

    /// The arrows of the diagram; holding counts once. Passing is `leftOut`: there is no answer.
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

/// What is said and printed of a picture or a sound.
enum MediaPhrases {
    /// Told where a sound stays silent.
    static let unplayable = Phrase(
        "This sound cannot be played", de: "Dieser Ton kann nicht abgespielt werden",
        es: "Este sonido no se puede reproducir")
    /// Told and printed where a photo was to be taken.
    static let noCamera = Phrase(
        "This device has no camera: no photo is taken", de: "Dieses Gerät hat keine Kamera: es wird kein Foto gemacht",
        es: "Este aparato no tiene cámara: no se hace ninguna foto")
    static let howTo = Phrase(
        "{0} to continue, {1} to repeat", de: "{0}: weiter, {1}: noch einmal", es: "{0}: continuar, {1}: otra vez")
    /// Before the address of what is not on the sheet.
    static let kinds: [MediaReference.Kind: Phrase] = [
        .image: Phrase("image", de: "Bild", es: "imagen"), .audio: Phrase("audio", de: "Ton", es: "sonido"),
        .video: Phrase("video", de: "Video", es: "vídeo"), .web: Phrase("web", de: "Web", es: "web"),
    ]
    static let notFetched = Phrase(
        "picture (not downloaded)", de: "Bild, nicht geladen", es: "imagen, no descargada")
    static let yourID = Phrase(
        "your participant id:", de: "eigene Teilnehmerkennung:", es: "tu identificador de participante:")
}
