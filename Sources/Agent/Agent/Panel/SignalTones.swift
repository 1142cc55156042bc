// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import Study

/// The sounds of a signal's steps as samples, which the `Speaker` plays where the loudspeaker replaces a buzzer or
/// waits for one.
struct SignalTones: Sendable {
    /// Samples per second.
    let rate: Int
    /// False where a buzzer sounds: silence of the same length, so that speech comes after it.
    let areHeard: Bool

    /// Hertz where a step names no pitch.
    private static let pitch = 880
    private static let amplitude = 9_000.0
    /// Seconds; without a ramp each tone would begin and end with a click.
    private static let ramp = 0.005

    func samples(_ steps: [SignalStep]) -> [Int16] { steps.flatMap(samples) }

    private func samples(_ step: SignalStep) -> [Int16] {
        let count = min(Int(step.duration.seconds * Double(rate)), rate * 10)  // ten seconds at most
        guard step.sounds, areHeard else { return [Int16](repeating: 0, count: max(0, count)) }
        let turn = 2 * Double.pi * Double(step.pitch ?? Self.pitch) / Double(rate)
        let edge = max(1, Self.ramp * Double(rate))
        return (0..<count).map { place in
            let fade = min(1, Double(min(place, count - 1 - place)) / edge)
            return Int16(Self.amplitude * fade * sin(turn * Double(place)))
        }
    }
}
