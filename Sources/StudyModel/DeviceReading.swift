// SPDX-License-Identifier: Apache-2.0

/// What a device can measure when it is asked to.
package enum DeviceReading: Sendable, Hashable {
    /// Percent of its battery, and 1 where it is charged or full, else 0.
    case battery
    /// Lux.
    case light
    /// Degrees from magnetic north to where the device's y axis points, clockwise, below 360.
    case compass
    /// The level of so many seconds of sound, and that of its quietest and its loudest whole second, in dB below the largest sample there can be.
    case noise(seconds: Int)

    /// As a board file and refusals name it.
    package var name: String {
        switch self {
        case .battery: "battery"
        case .light: "light"
        case .compass: "compass"
        case .noise: "noise"
        }
    }

    /// An answer of these figures; they are read back as they were.
    package static func answer(_ figures: [Double]) -> AnswerValue {
        .text(figures.map { "\($0)" }.joined(separator: " "))
    }

    /// The figures of an answer; empty where it is none.
    package static func figures(_ answer: AnswerValue) -> [Double] {
        guard case .text(let text) = answer else { return [] }
        return text.split(separator: " ").compactMap { Double($0) }
    }
}
