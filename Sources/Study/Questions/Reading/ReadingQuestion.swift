// SPDX-License-Identifier: Apache-2.0

/// What the device measures at a press.
///
/// ```
///  asked ── next ──▶ measuring ── known ──▶ answered
///    │ select: left out     └── not known: said, asked again
///    │ undo: back
/// ```
/// With one or two buttons `next` is a tap, as in every question. The level before a voice recording
/// (`DeviceReading.ambient`) is measured at any press but undo, and left out where it is not known.
package struct ReadingQuestion: QuestionMachine {
    private let reading: DeviceReading
    private let id: String
    private var isTaking = false
    /// From the press on until it is known.
    package var awaitsDevice: Bool { isTaking }

    /// A question that waits for a press; `id` is unique on the device.
    package init(_ reading: DeviceReading, id: String) { (self.reading, self.id) = (reading, id) }

    package mutating func handle(_ event: QuestionEvent) -> [QuestionEffect] {
        switch event {
        case .gesture(.next, 0) where !isTaking, .gesture(.previous, 0) where !isTaking: return measure()
        case .gesture(.select, 0) where !isTaking: return reading.isAmbientCheck ? measure() : [.leftOut]
        case .gesture(.undo, 0) where !isTaking: return [.back]
        case .device(.reading(let figures)) where isTaking:
            isTaking = false
            if let figures { return [.answered(reading.answer(figures))] }
            return reading.isAmbientCheck ? [.leftOut] : [.say(.fault(ReadingPhrases.unknown))]
        default: return []
        }
    }

    private mutating func measure() -> [QuestionEffect] {
        isTaking = true
        return [.device(.takeReading(reading, id: id))]
    }

    package func press(towards wanted: Wanted) -> Press? {
        switch wanted {
        case .answer(.text), .answer(.number): Press(.next)
        case .leaveOut: reading.isAmbientCheck ? nil : Press(.select)
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
