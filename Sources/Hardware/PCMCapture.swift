// SPDX-License-Identifier: Apache-2.0
import Samples
import Synchronization
import Times

/// Records a sound device into a ring, on a thread of its own.
///
/// Overruns, suspension, a card that hangs and an unplugged microphone become counted gaps; the stream is brought back, at
/// the latest by opening the device again under its name, first after a second, then ever more rarely up to a minute. A
/// device that is not there at the start is waited for in the same way.
public final class PCMCapture: Sendable {
    /// What happened so far.
    public let counters = Counters()
    private let clock: any StudyClock
    private let waker: Waker
    private let thread: Mutex<MeasuringThread?>

    /// Starts recording. Throws `PCMError` for numbers no device can have, `SystemError` where no thread can be made; a
    /// device that cannot be opened now is `counters.absence`. From here on this process writes no core files: they would
    /// hold what was heard.
    public convenience init(
        _ parameters: PCMParameters, ring: FrameRing<SoundFrame>, clock: any StudyClock, name: String = "sound",
        priority: Int? = nil
    ) throws {
        try self.init(
            parameters, ring: ring, clock: clock, name: name, priority: priority, firstPatience: .seconds(1))
    }

    /// As above; `firstPatience` is how long the first look for a lost device waits.
    init(
        _ parameters: PCMParameters, ring: FrameRing<SoundFrame>, clock: any StudyClock, name: String = "sound",
        priority: Int? = nil, firstPatience: Duration
    ) throws {
        CoreDumps.forbid()
        if let flaw = parameters.flaw {
            throw PCMError(code: 22, operation: flaw, device: parameters.device)
        }
        let waker = try Waker()
        let recorder = CaptureLoop(
            parameters, ring: ring, clock: clock, waker: waker, counters: counters, firstPatience: firstPatience)
        self.clock = clock
        self.waker = waker
        thread = Mutex(try MeasuringThread(name: name, priority: priority) { recorder.run() })
    }

    /// Why there is no sound, or what interrupted it within the last minute; nil while all is well.
    public var trouble: String? { counters.trouble(at: clock.monotonic) }

    /// Ends recording and waits for the thread, which does not wait for the device. Calling it again does nothing.
    public func stop() {
        waker.stop()
        thread.withLock { $0.take()?.join() }
    }

    deinit { waker.stop() }

    /// Opens and closes the device with these parameters: the self-test.
    public static func check(_ parameters: PCMParameters) throws(PCMError) { _ = try PCMStream(.capture, parameters) }
}
