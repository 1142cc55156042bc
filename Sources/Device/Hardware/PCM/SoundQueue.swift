// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// A sound in a `SoundQueue`; `ended` is called once, on the player's thread.
struct PlayedSound: Sendable {
    let samples: [Int16]
    let rate: Int
    let ended: @Sendable (PCMPlayback.Ending) -> Void
}

/// What waits to be played: `PCMPlayback` adds and stops on any thread, `PlaybackLoop` takes on the
/// player's. `generation` grows with each stop, so that the present sound learns of it.
final class SoundQueue: Sendable {
    private struct State {
        var sounds: [PlayedSound] = []
        /// Taken out of `sounds` by a stop; the player's thread still has to call their `ended`.
        var stopped: [PlayedSound] = []
        var generation = 0
        var isClosed = false
    }
    private let state = Mutex(State())

    /// Takes a sound; nil, or the ending of one that was not taken.
    func append(_ sound: PlayedSound) -> PCMPlayback.Ending? {
        state.withLock {
            if $0.isClosed { return .stopped }
            guard $0.sounds.count < PCMPlayback.queueLimit else { return .queueFull }
            $0.sounds.append(sound)
            return nil
        }
    }

    func stop(closing: Bool = false) {
        state.withLock {
            $0.isClosed = $0.isClosed || closing
            $0.stopped += $0.sounds
            $0.sounds = []
            $0.generation += 1
        }
    }

    var generation: Int { state.withLock { $0.generation } }

    /// The next sound with the generation it belongs to.
    func next() -> (sound: PlayedSound, generation: Int)? {
        state.withLock { $0.sounds.isEmpty ? nil : ($0.sounds.removeFirst(), $0.generation) }
    }

    /// Returns the sounds whose `ended` the caller now has to call with `.stopped`.
    func removeStopped() -> [PlayedSound] {
        state.withLock { state in
            defer { state.stopped = [] }
            return state.stopped
        }
    }
}
