// SPDX-License-Identifier: Apache-2.0
import CLinux
import Samples
import Synchronization
import Times

/// Records a sound device into a ring, on a thread of its own.
///
/// Overruns, suspension and an unplugged microphone become counted gaps; the stream is brought back, at the latest by
/// opening the device again, first after a second, then ever more rarely up to a minute.
public final class PCMCapture: Sendable {
    /// Counters that any thread may read.
    public final class Counters: Sendable {
        fileprivate let frames = Atomic<Int>(0)
        fileprivate let lost = Atomic<Int>(0)
        fileprivate let gapCount = Atomic<Int>(0)
        fileprivate let reopenCount = Atomic<Int>(0)
        fileprivate let last = Mutex<PCMError?>(nil)
        fileprivate let absent = Atomic<Bool>(false)

        /// Frames read from the device.
        public var framesRead: Int { frames.load(ordering: .relaxed) }
        /// Frames the device lost, measured by its time stamps, or dropped because the ring was full.
        public var framesLost: Int { lost.load(ordering: .relaxed) }
        /// How often the stream was interrupted.
        public var gaps: Int { gapCount.load(ordering: .relaxed) }
        /// How often the device had to be opened again.
        public var reopenings: Int { reopenCount.load(ordering: .relaxed) }
        /// It was not there at start and has not come yet.
        public var isAwaited: Bool { absent.load(ordering: .relaxed) }
        /// The last failure; nil when there was none.
        public var fault: PCMError? { last.withLock { $0 } }
    }

    /// What happened so far.
    public let counters = Counters()
    private let waker: Waker
    private let thread: Mutex<MeasuringThread?>

    /// Opens the device and starts recording. A device that cannot be had now is an error, or where it is `awaited` looked for
    /// until it comes; the time without it is then a gap. Any error but `PCMError` is a `SystemError` of making the thread.
    public init(
        _ parameters: PCMParameters, ring: FrameRing<SoundFrame>, clock: any StudyClock, name: String = "sound",
        priority: Int? = nil, isAwaited: Bool = false
    ) throws {
        var stream: PCMStream?
        do throws(PCMError) { stream = try PCMStream(.capture, parameters) } catch {
            guard isAwaited else { throw error }
            counters.last.withLock { $0 = error }
        }
        counters.absent.store(stream == nil, ordering: .relaxed)
        let waker = try Waker()
        let counters = self.counters
        let recorder = CaptureLoop(stream, parameters, ring: ring, clock: clock, waker: waker, counters: counters)
        self.waker = waker
        thread = Mutex(try MeasuringThread(name: name, priority: priority) { recorder.run() })
    }

    /// Ends recording and waits for the thread: at most a tenth of a second. Calling it again does nothing.
    public func stop() {
        waker.stop()
        thread.withLock { $0.take()?.join() }
    }

    deinit { waker.stop() }

    /// Opens and closes the device with these parameters: the self-test.
    public static func check(_ parameters: PCMParameters) throws(PCMError) { _ = try PCMStream(.capture, parameters) }
}

/// What the thread owns.
private final class CaptureLoop {
    private let parameters: PCMParameters
    private var stream: PCMStream?
    private var blocks: SoundBlocks
    private var buffer: [UInt8]
    private var silentWaits = 0
    private var patience: Duration = .seconds(1)
    private let ring: FrameRing<SoundFrame>
    private let clock: any StudyClock
    private let waker: Waker
    private let counters: PCMCapture.Counters

    init(
        _ stream: PCMStream?, _ parameters: PCMParameters, ring: FrameRing<SoundFrame>, clock: any StudyClock,
        waker: Waker, counters: PCMCapture.Counters
    ) {
        self.parameters = parameters
        self.stream = stream
        self.ring = ring
        self.clock = clock
        self.waker = waker
        self.counters = counters
        blocks = SoundBlocks(parameters)
        buffer = []
        makeBuffer()
        if stream == nil { blocks.await(from: clock.monotonic) }
    }

    /// Room for a period of the device.
    private func makeBuffer() {
        let bytes = max(1, stream?.periodFrames ?? 1) * parameters.bytesPerFrame
        if buffer.count < bytes { buffer = [UInt8](repeating: 0, count: bytes) }
    }

    func run() {
        while !waker.isStopping {
            guard let stream else {
                reopen()
                continue
            }
            switch parameters.pacing {
            case .byHardware: runByHardware(stream)
            case .byClock: runByClock(stream)
            }
        }
    }

    // MARK: The card paces

    private func runByHardware(_ stream: PCMStream) {
        stream.start()
        while !waker.isStopping, self.stream != nil { turn(stream) }
    }

    private func turn(_ stream: PCMStream) {
        let ready = stream.wait(atMost: .milliseconds(100))
        if ready < 0 { return recover(ready, stream) }
        if ready == 0 { return countSilence(stream) }
        silentWaits = 0
        let time = stream.timeOfNextFrame() ?? clock.monotonic
        let read = buffer.withUnsafeMutableBytes { stream.read(into: $0, frames: $0.count / parameters.bytesPerFrame) }
        if read < 0 { recover(read, stream) } else { take(read, at: time) }
    }

    /// A card that delivers nothing for three periods hangs.
    private func countSilence(_ stream: PCMStream) {
        silentWaits += 1
        if Duration.milliseconds(100) * silentWaits >= parameters.period * 3 { recover(Int(-EIO), stream) }
    }

    private func recover(_ result: Int, _ stream: PCMStream) {
        let cure = PCMError.cure(result)
        if cure == .retry { return }
        note(PCMError(code: CInt(clamping: result), operation: "read", device: parameters.device))
        if stream.apply(cure) { stream.start() } else { self.stream = nil }
        silentWaits = 0
    }

    // MARK: The clock paces

    private func runByClock(_ stream: PCMStream) {
        guard let loop = pacingLoop() else { return }
        var pacer = FramePacer(parameters, start: clock.monotonic)
        loop.onAlarm = { [unowned loop] now in
            if self.serve(stream, &pacer, now) {
                loop.setAlarm(now + self.parameters.period)
            } else {
                self.stream = nil
            }
        }
        loop.setAlarm(clock.monotonic + parameters.period)
        while !waker.isStopping, self.stream != nil, loop.failure == nil { loop.turn() }
        loop.onAlarm = nil
    }

    /// Nil, noted, when the kernel has no descriptors left: tried again like a device that is gone.
    private func pacingLoop() -> EventLoop? {
        do throws(SystemError) { return try EventLoop(clock: clock, waker: waker) } catch {
            note(PCMError(code: error.code, operation: error.operation, device: parameters.device))
            stream = nil
            return nil
        }
    }

    /// Asks for exactly the frames due; false when the device is gone.
    private func serve(_ stream: PCMStream, _ pacer: inout FramePacer, _ now: MonotonicTime) -> Bool {
        let lost = pacer.overrun(at: now)
        if lost > 0 {
            blocks.lost(lost, .soundOverrun)
            counters.gapCount.wrappingAdd(1, ordering: .relaxed)
            pacer.advance(lost)
        }
        while case let due = pacer.due(at: now), due > 0 {
            let read = buffer.withUnsafeMutableBytes {
                stream.read(into: $0, frames: min(due, $0.count / parameters.bytesPerFrame))
            }
            guard read > 0 else {
                note(PCMError(code: CInt(clamping: read), operation: "read", device: parameters.device))
                return false
            }
            take(read, at: pacer.time)
            pacer.advance(read)
        }
        return true
    }

    // MARK: Both

    private func take(_ frames: Int, at time: MonotonicTime) {
        buffer.withUnsafeBytes {
            blocks.append(
                UnsafeRawBufferPointer(rebasing: $0[..<(frames * parameters.bytesPerFrame)]), at: time, to: ring)
        }
        counters.frames.wrappingAdd(frames, ordering: .relaxed)
        counters.lost.store(blocks.framesLost, ordering: .relaxed)
    }

    private func note(_ error: PCMError) {
        counters.last.withLock { $0 = error }
        counters.gapCount.wrappingAdd(1, ordering: .relaxed)
        blocks.gap(.soundOverrun)
    }

    private func reopen() {
        waker.wait(atMost: patience)
        guard !waker.isStopping else { return }
        do throws(PCMError) {
            stream = try PCMStream(.capture, parameters)
            makeBuffer()
            counters.reopenCount.wrappingAdd(1, ordering: .relaxed)
            counters.absent.store(false, ordering: .relaxed)
            patience = .seconds(1)
        } catch {
            counters.last.withLock { $0 = error }
            patience = min(patience * 2, .seconds(60))
        }
    }
}
