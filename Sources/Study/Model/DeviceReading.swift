// SPDX-License-Identifier: Apache-2.0

/// What a device can measure when `ReadingQuestion` asks it to; the agent answers by `DeviceNews.reading`.
package enum DeviceReading: Sendable, Hashable {
    /// Percent of its battery, and 1 where it is charged or full, else 0.
    case battery
    /// Lux.
    case light
    /// Degrees from magnetic north to where the device's y axis points, clockwise, below 360.
    case compass
    /// The level over this many seconds of sound, and that of its quietest and its loudest whole
    /// second, in dB below the largest sample there can be.
    case noise(seconds: Int)
    /// How loud it is around the microphone over this many seconds, from 0 to 1, as ResearchKit's
    /// `ORKAudioLevelNavigationRule` computes it before a voice is recorded: above 0.45 is too
    /// loud. What cannot be measured stays without an answer.
    case ambient(seconds: Int)

    /// As a board file and refusals name it.
    package var name: String {
        switch self {
        case .battery: "battery"
        case .light: "light"
        case .compass: "compass"
        case .noise: "noise"
        case .ambient: "ambient"
        }
    }

    /// True for the check before a recording: any press starts it, and the participant cannot leave it out.
    package var isAmbientCheck: Bool { if case .ambient = self { true } else { false } }

    /// The answer with these figures, in the order of the case's comment: for `ambient` its one level as a
    /// number, else a text.
    package func answer(_ figures: [Double]) -> AnswerValue {
        if case .ambient = self, let level = figures.first { return .number(level) }
        return Self.answer(figures)
    }

    /// The figures as a text with blanks between, from which `figures(_:)` reads the same values.
    package static func answer(_ figures: [Double]) -> AnswerValue {
        .text(figures.map { "\($0)" }.joined(separator: " "))
    }

    /// The figures of an answer that a reading gave; empty for any other answer.
    package static func figures(_ answer: AnswerValue) -> [Double] {
        switch answer {
        case .text(let text): text.split(separator: " ").compactMap { Double($0) }
        case .number(let level): [level]
        default: []
        }
    }
}
