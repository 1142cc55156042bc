// SPDX-License-Identifier: Apache-2.0
import Agent
import Base
import Glibc
import SimulatedWorld
import Study

/// The body of the scripted participant of `studyd simulate`: it does what the names of task, recorder and step
/// ask for, with a device in the hand or in a pocket.
///
/// Walking is that of the simulated world, 1.8 steps a second. A tremor shakes and turns the hand
/// at 5 Hz. Standing sways by a hundredth of g at 0.3 Hz. A voice holds a tone of 220 Hz.
/// Otherwise the body rests.
enum SimulatedPerformer {
    enum Activity: Sendable, Hashable {
        case walk, shake, stand, voice, rest
    }

    /// Shakes per second of a tremor.
    private static let tremorRate = 5.0
    /// Hz of the voice.
    private static let voiceRate = 220.0

    /// The first name that says an activity decides: a walking task has a step in which one stands still.
    static func activity(of names: [String]) -> Activity {
        let words: [(Activity, [String])] = [
            (.stand, ["stand", "balance", "still"]), (.walk, ["walk", "gait", "run"]),
            (.shake, ["tremor", "rest", "postur", "kinetic", "nose"]),
            (.voice, ["voice", "phonation", "audio", "micro"]),
        ]
        for name in names.map({ $0.lowercased() }) {
            if let found = words.first(where: { $0.1.contains(where: name.contains) }) { return found.0 }
        }
        return .rest
    }

    static func body(of recording: TaskRecording) -> SimulatedBody {
        let activity = activity(of: [recording.step, recording.recorder.identifier, recording.task])
        let world = World(segments: [WorldSegment(activity == .walk ? .walk : .rest, .seconds(86_400))])
        let turn = 2 * Double.pi
        @Sendable func time(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: Int64(seconds * 1e9)) }
        // A hand that turns about the device's x axis by this many radians, and moves to and fro.
        let (size, rate) = activity == .shake ? (0.03, tremorRate) : (0.01, 0.3)
        @Sendable func tilt(_ seconds: Double) -> Double { size * sin(turn * rate * seconds) }
        let moves = activity == .shake || activity == .stand
        return SimulatedBody(
            acceleration: { seconds in
                guard moves else { return world?.acceleration(at: time(seconds)) ?? SIMD3(0, 0, 1) }
                let angle = tilt(seconds)
                let push = activity == .shake ? 0.08 * sin(turn * tremorRate * seconds + 0.7) : 0
                return SIMD3(push, sin(angle), cos(angle))
            },
            rotation: { seconds in
                guard moves else { return world?.angularRate(at: time(seconds)) ?? .zero }
                return SIMD3(size * turn * rate * cos(turn * rate * seconds) * 180 / .pi, 0, 0)
            },
            field: { world?.magneticField(at: time($0)) ?? .zero },
            sound: { seconds in
                activity == .voice ? 0.2 * sin(turn * voiceRate * seconds) : 0.001 * sin(turn * 50 * seconds)
            },
            place: { seconds in
                let place = world?.position(at: time(seconds))
                return (place?.latitude ?? 0, place?.longitude ?? 0)
            })
    }
}
