// SPDX-License-Identifier: Apache-2.0

/// A spoken answer: `TextKind` and `RecordingKind` make it, and `TaskRun` drives it. `DeviceEffect`s start,
/// stop, play and discard the recording named `id`; the answer is that id.
///
/// ```
///  ready: ring of  no answer, record
///   │ no answer ──▶ left out
///   ▼ record
///  recording ── select, next, previous, undo, or the longest time ──▶ review: ring of  keep, listen, again
///   └── failed, also once it is in review ──▶ ready (fault said)       │ keep ──▶ answered
///                                                                      │ listen ─▶ played
///                                                                      └ again ──▶ ready; the recording is discarded
///  ready, undo: back.   review, undo: goes to `again`, which still has to be chosen.
/// ```
package struct VoiceMemoQuestion: QuestionMachine {
    private enum State: Sendable, Hashable { case ready, recording, review }

    /// The part of the ids that all attempts share.
    private let base: String
    private let layout: Panel.Layout
    private var attempt = 1
    private var state = State.ready
    private var ring = Ring(count: 2)

    /// Its recordings are named `<id>-1`, `<id>-2`, …
    package init(id: String, layout: Panel.Layout) {
        base = id
        self.layout = layout
    }

    /// The arrows of the diagram; holding counts once. A recording that is full counts only
    /// while it is made.
    package mutating func handle(_ event: QuestionEvent) -> [QuestionEffect] {
        switch (state, event) {
        case (.recording, .recordingFull): return [.say(.timeRunningOut)] + stop()
        case (.recording, .device(.recordingFailed(id))): return fail()
        // It was stopped before anything was heard: there is nothing to keep.
        case (.review, .device(.recordingFailed(id))): return [.device(.stopPlaying)] + fail()
        case (.recording, .gesture(.select, 0)), (.recording, .gesture(.next, 0)), (.recording, .gesture(.previous, 0)),
            (.recording, .gesture(.undo, 0)):
            return stop()
        case (_, .gesture(.next, 0)), (_, .gesture(.previous, 0)): return move(event)
        case (_, .gesture(.select, 0)): return choose()
        case (.ready, .gesture(.undo, 0)): return [.back]
        case (.review, .gesture(.undo, 0)):
            ring = Ring(count: 3, at: 2)
            return [.device(.stopPlaying), .say(currentCue)]
        default: return []
        }
    }

    /// Records, ends and keeps one memo for any wanted text, whatever that text is.
    package func press(towards wanted: Wanted) -> Press? {
        switch (wanted, state) {
        case (.leaveOut, .ready): ring.press(to: 0, layout: layout)
        case (.leaveOut, .review): ring.press(to: 2, layout: layout)
        case (.answer(.text), .ready), (.answer(.recording), .ready): ring.press(to: 1, layout: layout)
        case (.answer(.text), .review), (.answer(.recording), .review): ring.press(to: 0, layout: layout)
        case (_, .recording): Press(.select)
        default: nil
        }
    }

    /// Nil at `no answer`, and while it is recorded.
    package var currentPlace: Cue? { state == .recording || state == .ready && ring.index == 0 ? nil : currentCue }

    package func meaning(of gesture: Gesture) -> PanelMeaning? {
        guard state == .recording, [.select, .next, .previous, .undo].contains(gesture) else { return nil }
        return .phrase(VoiceMemoPhrases.stop)
    }

    private var id: String { "\(base)-\(attempt)" }

    private var currentCue: Cue {
        switch (state, ring.index) {
        case (.ready, 0): .leaveOut
        case (.ready, _): .menuItem(1, VoiceMemoPhrases.record)
        case (_, 0): .menuItem(1, VoiceMemoPhrases.keep)
        case (_, 1): .menuItem(2, VoiceMemoPhrases.listen)
        default: .menuItem(3, VoiceMemoPhrases.again)
        }
    }

    private mutating func move(_ event: QuestionEvent) -> [QuestionEffect] {
        guard case .gesture(let gesture, _) = event else { return [] }
        _ = ring.move(gesture)
        return (state == .review ? [.device(.stopPlaying)] : []) + [.say(currentCue)]
    }

    private mutating func choose() -> [QuestionEffect] {
        switch (state, ring.index) {
        case (.ready, 0): return [.leftOut]
        case (.ready, _):
            state = .recording
            return [.say(.recordingStarted), .device(.startRecording(id))]
        case (_, 0): return [.device(.stopPlaying), .answered(.recording(id))]
        case (_, 1): return [.device(.playRecording(id))]
        default: return discard()
        }
    }

    private mutating func stop() -> [QuestionEffect] {
        defer {
            state = .review
            ring = Ring(count: 3)
        }
        return [.device(.stopRecording(id)), .say(.recordingStopped), .say(.menuItem(1, VoiceMemoPhrases.keep))]
    }

    private mutating func fail() -> [QuestionEffect] {
        attempt += 1
        state = .ready
        ring = Ring(count: 2)
        return [.say(.fault(VoiceMemoPhrases.failed))]
    }

    private mutating func discard() -> [QuestionEffect] {
        let discarded = id
        attempt += 1
        state = .ready
        ring = Ring(count: 2)
        return [.device(.stopPlaying), .device(.discardRecording(discarded)), .say(.undone)]
    }
}

enum VoiceMemoPhrases {
    static let record = Phrase("Record")
    static let keep = Phrase("Keep")
    static let listen = Phrase("Listen")
    static let again = Phrase("Record again")
    /// On a drawn board, while it is recorded.
    static let stop = Phrase("stop")
    static let failed = Phrase("The recording failed")
    static let spoken = [record, keep, listen, again, failed]

    static let howTo = Phrase(
        "spoken: {0}, then {1} to record; {1} to stop; then {1} to keep it, or {2} (listen, record again){3}")
    static let unchecked = Phrase("; what is said is not checked ({0})")
    static let length = Phrase("length")
    static let form = Phrase("form")
    static let address = Phrase("address")
    static let and = Phrase("{0} and {1}")
}
