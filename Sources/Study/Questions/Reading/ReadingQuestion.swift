// SPDX-License-Identifier: Apache-2.0

/// Asks the participant to press a button, at which the device measures a `DeviceReading` or finds its position.
/// `ReadingKind` and `PositionKind` make it, and `TaskRun` drives it.
///
/// ```
///  asked ── next, previous ──▶ measuring ── known ──▶ answered
///    │ select: left out            └── not known: this is said, and the question is asked again
///    │ undo: back to the question before
/// ```
/// With one or two buttons `next` is a tap, as in every question. The loudness before a voice recording
/// (`DeviceReading.ambient`) is measured at `select`, too, and left out where it cannot be measured.
package struct ReadingQuestion: QuestionMachine {
    /// Nil = the position, by the board's own receiver.
    private let reading: DeviceReading?
    private let id: String
    private var isTaking = false
    /// True from the press until the device has answered.
    package var awaitsDevice: Bool { isTaking }

    /// A question for that, or else for the position; `id` is that of the reading, unique on the device.
    package init(_ reading: DeviceReading? = nil, id: String = "") { (self.reading, self.id) = (reading, id) }

    package mutating func handle(_ event: QuestionEvent) -> [QuestionEffect] {
        switch (event, reading) {
        case (.gesture(.next, 0), _) where !isTaking, (.gesture(.previous, 0), _) where !isTaking: return measure()
        case (.gesture(.select, 0), _) where !isTaking: return isAmbientCheck ? measure() : [.leftOut]
        case (.gesture(.undo, 0), _) where !isTaking: return [.back]
        case (.device(.reading(let figures)), let reading?) where isTaking:
            isTaking = false
            if let figures { return [.answered(reading.answer(figures))] }
            return isAmbientCheck ? [.leftOut] : [.say(.fault(ReadingPhrases.unknown))]
        case (.device(.position(let latitude, let longitude)), nil) where isTaking:
            isTaking = false
            return [.answered(.position(latitude: latitude, longitude: longitude))]
        case (.device(.noPosition), nil) where isTaking:
            isTaking = false
            return [.say(.fault(PositionPhrases.unknown))]
        default: return []
        }
    }

    private var isAmbientCheck: Bool { reading?.isAmbientCheck ?? false }

    private mutating func measure() -> [QuestionEffect] {
        isTaking = true
        return [.device(reading.map { .takeReading($0, id: id) } ?? .takePosition)]
    }

    /// `next`, or `select` to leave it out. The value that is wanted is ignored, since the device measures its own;
    /// nil for an answer of another kind.
    package func press(towards wanted: Wanted) -> Press? {
        switch wanted {
        case .answer(.text), .answer(.number): reading == nil ? nil : Press(.next)
        case .answer(.position): reading == nil ? Press(.next) : nil
        case .leaveOut: isAmbientCheck ? nil : Press(.select)
        default: nil
        }
    }
}

enum ReadingPhrases {
    /// Said where nothing could be measured.
    static let unknown = Phrase("It could not be measured")
    static let battery = Phrase("{0} to read the battery level")
    static let light = Phrase("{0} to measure the light")
    static let compass = Phrase("{0} to measure the compass direction")
    static let noise = Phrase("{0} to measure loudness for {1} seconds; only the level is kept")
}
