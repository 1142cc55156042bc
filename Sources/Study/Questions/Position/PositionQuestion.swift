// SPDX-License-Identifier: Apache-2.0

/// Where the participant is, by the board's own receiver.
///
/// ```
///  asked ── next ──▶ taking ── known ──▶ answered
///    │ select: left out  └── not known: said, asked again
///    │ undo: back
/// ```
/// With one or two buttons `next` is a tap, as in every question.
package struct PositionQuestion: QuestionMachine {
    private var isTaking = false
    /// True from the press until the receiver has answered.
    package var awaitsDevice: Bool { isTaking }

    package init() {}

    package mutating func handle(_ event: QuestionEvent) -> [QuestionEffect] {
        switch event {
        case .gesture(.next, 0) where !isTaking, .gesture(.previous, 0) where !isTaking:
            isTaking = true
            return [.device(.takePosition)]
        case .gesture(.select, 0) where !isTaking: return [.leftOut]
        case .gesture(.undo, 0) where !isTaking: return [.back]
        case .device(.position(let latitude, let longitude)) where isTaking:
            return [.answered(.position(latitude: latitude, longitude: longitude))]
        case .device(.noPosition) where isTaking:
            isTaking = false
            return [.say(.fault(PositionPhrases.unknown))]
        default: return []
        }
    }

    /// One press; the position in `wanted` is ignored, since the receiver gives its own.
    package func press(towards wanted: Wanted) -> Press? {
        switch wanted {
        case .answer(.position): Press(.next)
        case .leaveOut: Press(.select)
        default: nil
        }
    }
}

enum PositionPhrases {
    /// Said where there is no fix.
    static let unknown = Phrase("The location is not known")
    static let howTo = Phrase("{0} to record the device's location")
}
