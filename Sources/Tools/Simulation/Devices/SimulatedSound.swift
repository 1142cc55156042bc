// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import SimulatedWorld
import SystemKit

/// The world's sound as a microphone would record it: 16 bits, one channel, ready for ALSA's `file` plugin, to
/// which `SimulatedBoard` gives it.
///
/// A pure function of the world and the seed. The level of a full-scale sine is `fullScaleLevel`,
/// as with a usual digital microphone.
package struct SimulatedSound: Sendable {
    /// Sound pressure level in dB of a sine that just fills 16 bits.
    package static let fullScaleLevel = 120.0
    /// The tone of `WorldActivity.tone`, in Hz.
    private static let toneFrequency = 1000.0

    /// Frames per second.
    private let rate: Int
    private let world: World
    private let start: MonotonicTime
    private let noise: SeededNoise

    /// The sound of `world` from `start` on, `rate` frames per second.
    package init(world: World, rate: Int = 16_000, start: MonotonicTime = .zero, seed: UInt64 = 1) {
        precondition(rate > 0, "sound needs a rate above 0")
        self.world = world
        self.rate = rate
        self.start = start
        noise = SeededNoise(seed: seed)
    }

    package func frames(from first: Int, count: Int) -> [Int16] {
        (first..<(first + count)).map { index in
            let value = pressure(frame: index) * 32_767
            return Int16(min(max(value.rounded(), -32_768), 32_767))
        }
    }

    /// Writes this many seconds as raw little-endian frames; an existing file is replaced.
    package func write(to path: String, seconds: Int) throws(SystemError) {
        let file = try Descriptor(opening: path, flags: O_WRONLY | O_CREAT | O_TRUNC, mode: 0o644)
        for second in 0..<max(0, seconds) {
            try file.write(
                frames(from: second * rate, count: rate).flatMap { frame in
                    [UInt8(truncatingIfNeeded: frame), UInt8(truncatingIfNeeded: frame >> 8)]
                })
        }
    }

    /// As a share of full scale, -1...1.
    private func pressure(frame index: Int) -> Double {
        let time = start + .nanoseconds(Int64(Double(index) / Double(rate) * 1e9))
        let scene = world.scene(at: time)
        let level = world.soundLevel(at: time)
        return switch scene.activity {
        case .tone: Self.amplitude(level) * sin(2 * .pi * Self.toneFrequency * scene.seconds)
        case .talk: speech(scene, amplitude: Self.amplitude(level)) + room(40, frame: index)
        default: room(level, frame: index)
        }
    }

    private func room(_ level: Double, frame index: Int) -> Double {
        Self.amplitude(level) / 2.0.squareRoot() * noise.normal(index)
    }

    private static func amplitude(_ level: Double) -> Double { pow(10, (level - fullScaleLevel) / 20) }

    /// Phrases of two seconds with a second of silence between, four syllables per second, each
    /// with another pitch: a level meter and a voice detector take it for speech, and there is
    /// nothing to understand.
    private func speech(_ scene: World.Scene, amplitude: Double) -> Double {
        guard scene.seconds.truncatingRemainder(dividingBy: 3) < 2 else { return 0 }
        let syllable = (scene.seconds * 4).rounded(.down)
        let envelope = sin(.pi * (scene.seconds * 4 - syllable))
        let pitch = 110 + 40 * noise.stream(2).uniform(Int(syllable))
        let phase = 2 * .pi * pitch * scene.seconds
        let voice = [1, 0.7, 0.5, 0.6, 0.3, 0.15].enumerated().reduce(0.0) { sum, harmonic in
            sum + harmonic.element * sin(Double(harmonic.offset + 1) * phase)
        }
        // The envelope's and the pauses' mean square are 1/2 and 2/3; the harmonics' squares
        // sum up to 2.2125.
        return amplitude * envelope * voice / (2.2125 / 3).squareRoot()
    }
}
