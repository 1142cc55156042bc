// SPDX-License-Identifier: Apache-2.0
import Base
import Synchronization
import SystemKit

/// Records a sound device into a ring, on a thread of its own.
///
/// Overruns, suspension, a card that hangs and an unplugged microphone become counted gaps; the
/// stream is brought back, at the latest by opening the device again under its name, first after a
/// second, then ever more rarely up to a minute. A device that is not there at the start can be
/// waited for in the same way.
package final class PCMCapture: Sendable {
    /// What happened so far.
    package let counters = Counters()
    private let name: String
    private let clock: any StudyClock
    private let waker: Waker
    private let thread: Mutex<NamedThread?>

    /// Opens the device and starts recording. A device that cannot be had now is an error, or where
    /// it `isAwaited` looked for until it comes; the time without it is then a gap. Throws
    /// `PCMError` of the device, `SystemError` of making the thread. From here on this process
    /// writes no core files: they would hold what was heard.
    package convenience init(
        _ parameters: PCMParameters, ring: FrameRing<SoundFrame>, clock: any StudyClock, name: String = "sound",
        priority: Int? = nil, isAwaited: Bool = false
    ) throws {
        try self.init(
            parameters, ring: ring, clock: clock, name: name, priority: priority, isAwaited: isAwaited,
            firstPatience: .seconds(1))
    }

    /// As above; `firstPatience` is how long the first look for a lost device waits.
    init(
        _ parameters: PCMParameters, ring: FrameRing<SoundFrame>, clock: any StudyClock, name: String = "sound",
        priority: Int? = nil, isAwaited: Bool, firstPatience: Duration
    ) throws {
        CoreDumps.forbid()
        var stream: PCMStream?
        do throws(PCMError) { stream = try PCMStream(.capture, parameters) } catch {
            guard isAwaited, parameters.flaw == nil else { throw error }
            counters.await(error, at: clock.monotonic)
        }
        let waker = try Waker()
        let recorder = CaptureLoop(
            stream, parameters, ring: ring, clock: clock, waker: waker, counters: counters,
            firstPatience: firstPatience)
        self.name = name
        self.clock = clock
        self.waker = waker
        thread = Mutex(try NamedThread(name: name, priority: priority) { recorder.run() })
    }

    /// Why there is no sound now, in words; nil while there is.
    package var trouble: Explanation? { counters.trouble }
    /// What interrupted the sound within the last minute and is over, in words with
    /// counts; nil otherwise.
    package var passedTrouble: String? { counters.passedTrouble(at: clock.monotonic) }

    /// Ends recording and waits for the thread, which does not wait for the device. Calling it
    /// again does nothing.
    package func stop() {
        waker.stop()
        thread.withLock { $0.take()?.join() }
    }

    /// Tells the thread to end and waits for so long at most; false when a driver holds it, and it
    /// ends by itself once that lets go.
    package func stop(within patience: Duration) -> Bool {
        waker.stop()
        return thread.withLock { $0.take()?.join(within: patience) } ?? true
    }

    package var sign: LifeSign { LifeSign(name, waker) }

    deinit { waker.stop() }

    /// Opens and closes the device with these parameters: the self-test.
    package static func check(_ parameters: PCMParameters) throws(PCMError) { _ = try PCMStream(.capture, parameters) }
}
