// SPDX-License-Identifier: Apache-2.0
import Base
import CLinux
import Synchronization
import SystemKit

/// Plays sounds one after another on its own thread; requests return at once.
///
/// The device is opened for the first sound and again when the rate changes or it failed.
package final class PCMPlayback: Sendable {
    package enum Ending: Sendable, Equatable {
        case played
        case stopped
        case failed(PCMError)
        /// More sounds waited than the queue holds; this one was not taken.
        case queueFull
    }

    package static let queueLimit = 32

    private let queue: SoundQueue
    private let worker: WorkerThread

    /// A player for a device; `parameters.rate` is replaced by that of each sound, and
    /// where the card has no such rate the sound is resampled to the nearest it has. The
    /// device is not opened yet.
    package init(_ parameters: PCMParameters, clock: any StudyClock, name: String = "playback") throws(SystemError) {
        let waker = try Waker()
        let queue = SoundQueue()
        self.queue = queue
        let player = PlaybackLoop(parameters, clock: clock, waker: waker, queue: queue)
        worker = try WorkerThread(name: name, waker: waker) { player.run() }
    }

    /// Plays mono samples after what already waits. `ended` is called exactly once, on the player's
    /// thread, or at once on the caller's when the queue is full or closed.
    package func play(samples: [Int16], rate: Int, ended: @escaping @Sendable (Ending) -> Void = { _ in }) {
        let sound = PlayedSound(samples: samples, rate: rate, ended: ended)
        if let refusal = queue.append(sound) { return ended(refusal) }
        worker.wake()
    }

    /// Silence within 50 ms: ends the present sound and forgets what waits.
    package func stop() {
        queue.stop()
        worker.wake()
    }

    /// Silence, and the end of the thread, which is waited for. Calling it again does nothing.
    package func close() {
        queue.stop(closing: true)
        worker.stop()
    }

    deinit { queue.stop(closing: true) }

    /// Opens and closes the device with these parameters, to see whether it is there. A device
    /// that another program uses counts as there.
    package static func probe(_ parameters: PCMParameters) throws(PCMError) {
        do throws(PCMError) { try check(parameters) } catch { if error.code != EBUSY { throw error } }
    }

    /// Opens and closes the device with these parameters: the self-test.
    package static func check(_ parameters: PCMParameters) throws(PCMError) { _ = try PCMStream(.playback, parameters) }
}

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
