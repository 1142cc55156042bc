// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// Records a sound device into a ring, on its own thread. `MeasuringSystem` has one for the microphone;
/// `studyd check` listens with another.
///
/// Overruns, suspension, a card that hangs and an unplugged microphone become counted gaps; the
/// stream is brought back, at the latest by opening the device again under its name, first after a
/// second, then ever more rarely up to a minute. A device that is not there at the start can be
/// waited for in the same way.
package final class PCMCapture: ThreadOwner {
    package let counters = Counters()
    private let clock: any StudyClock
    package let worker: WorkerThread

    /// Opens the device and starts recording. A device that cannot be had now is an error; where it
    /// `isAwaited`, it is looked for until it comes, and the time without it is a gap; `firstPause` is how long
    /// the first look for a lost device waits. Throws `PCMError` of the device, `SystemError` of making the
    /// thread. From here on this process writes no core files: they would hold what was heard.
    package init(
        _ parameters: PCMParameters, ring: FrameRing<SoundFrame>, clock: any StudyClock, name: String = "sound",
        priority: Int? = nil, isAwaited: Bool = false, firstPause: Duration = .seconds(1)
    ) throws {
        CoreDumps.forbid()
        var stream: PCMStream?
        do throws(PCMError) { stream = try PCMStream(.capture, parameters) } catch {
            guard isAwaited, parameters.flaw == nil else { throw error }
            counters.noteAwaited(error, at: clock.monotonic)
        }
        let waker = try Waker()
        let recorder = CaptureLoop(
            stream, parameters, ring: ring, clock: clock, waker: waker, counters: counters, firstPause: firstPause)
        self.clock = clock
        worker = try WorkerThread(name: name, waker: waker, priority: priority) { recorder.run() }
    }

    /// Why there is no sound now, in words; nil while there is.
    package var trouble: Explanation? { counters.trouble }
    /// What interrupted the sound within the last minute and is over, in words with
    /// counts; nil otherwise.
    package var passedTrouble: String? { counters.passedTrouble(at: clock.monotonic) }

    /// Opens and closes the device with these parameters: the self-test.
    package static func check(_ parameters: PCMParameters) throws(PCMError) { _ = try PCMStream(.capture, parameters) }
}
