// SPDX-License-Identifier: Apache-2.0
import Study

/// Fetches what a study plays, and renders what it speaks, for `Enroller`, before it is needed. Blocks.
struct StudySounds: Sendable {
    struct Problem: Sendable {
        /// The raw value is the place of the fault in the event log.
        enum Place: String {
            case sound = "media"
            case video, speech
        }

        let place: Place
        let message: String

        /// A sound that cannot be played; all other problems leave the study usable.
        var isSound: Bool { place == .sound }
    }

    let panel: Panel
    let media: MediaCache
    /// Nil = no speech is rendered.
    let voice: SpeechVoice?

    /// Renders `others` as well: speech that is neither the study's nor among them is deleted.
    func prepare(
        _ study: StudyProtocol, beside others: [Utterance] = [], _ progress: (Enroller.Progress) -> Void
    ) -> [Problem] {
        // Without a loudspeaker the sheet names them, as it does pictures.
        let sounds = panel.hasLoudspeaker ? study.media : []
        var problems = media.fetch(sounds.filter { $0.kind == .audio }).map { Problem(place: .sound, message: $0.text) }
        problems += media.fetch(sounds.filter { $0.kind == .video }).map { Problem(place: .video, message: $0.text) }
        let rendering = voice?.render(Vocabulary(study, on: panel).parts + others) {
            progress(.speech(done: $0, of: $1))
        }
        if let remark = rendering?.remark { problems.append(Problem(place: .speech, message: remark)) }
        for problem in problems { progress(.remark(problem.message)) }
        return problems
    }
}
