// SPDX-License-Identifier: Apache-2.0
import Base
import CLinux
import SystemKit

/// Plays sounds one after another on its own thread; requests return at once. `BoardDevices` has one for the
/// loudspeaker, which `Speaker` plays on.
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
