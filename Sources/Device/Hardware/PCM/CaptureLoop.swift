// SPDX-License-Identifier: Apache-2.0
import Base
import CLinux
import SystemKit

/// What a recording thread owns: the stream, while there is one, and what becomes of its frames. `PCMCapture`
/// runs it.
///
///     open ──▶ recording ──(overrun, sleep)──▶ recovered, recording
///      ▲           │
///      └───pause───┴──(unplugged, hung, no recovery): closed
///
/// A card counts as absent until its first frames and not only until it opens: a card may open again and
/// again and give nothing.
final class CaptureLoop {
    /// How often a stream may recover without giving a frame before it is opened again.
    private static let recoveryLimit = 8

    private let parameters: PCMParameters
    private let firstPause: Duration
    private var stream: PCMStream?
    private var blocks: SoundBlocks
    private var buffer: [UInt8] = []
    /// Recoveries since the last frames.
    private var recoveries = 0
    /// The stream was started by a recovery.
    private var isRunning = false
    /// The card was missing, and no frames came since.
    private var isAbsent: Bool
    /// How long to wait before the next opening; zero once frames came, so that a lost card is looked for
    /// at once.
    private var pause: Duration
    private let ring: FrameRing<SoundFrame>
    private let clock: any StudyClock
    private let waker: Waker
    private let counters: PCMCapture.Counters

    init(
        _ stream: PCMStream?, _ parameters: PCMParameters, ring: FrameRing<SoundFrame>, clock: any StudyClock,
        waker: Waker, counters: PCMCapture.Counters, firstPause: Duration
    ) {
        self.parameters = parameters
        self.firstPause = firstPause
        self.ring = ring
        self.clock = clock
        self.waker = waker
        self.counters = counters
        blocks = SoundBlocks(parameters)
        isAbsent = stream == nil
        pause = firstPause
        if let stream { adopt(stream) } else { blocks.expectFirstFrame(at: clock.monotonic) }
    }

    func run() {
        waker.clear()
        while !waker.isStopping {
            guard let stream else {
                waker.wait(atMost: pause)
                if !waker.isStopping { open() }
                continue
            }
            switch parameters.pacing {
            case .byHardware: runByHardware(stream)
            case .byClock: runByClock(stream)
            }
        }
    }

    // MARK: Opening

    private func open() {
        do throws(PCMError) {
            adopt(try PCMStream(.capture, parameters))
        } catch {
            counters.record(error, PCMTrouble(error), at: clock.monotonic, isAbsent: true)
        }
        // Doubles after each opening; only frames that arrive set it back to zero (`push`).
        pause = min(max(firstPause, pause * 2), .seconds(60))
    }

    private func adopt(_ stream: PCMStream) {
        buffer = [UInt8](repeating: 0, count: stream.layout.period * stream.layout.bytesPerFrame)
        blocks.open(stream.layout)
        (self.stream, isRunning, recoveries) = (stream, false, 0)
    }

    /// Counts a fault and begins a gap; gives the stream up where it has not recovered.
    private func interrupt(_ trouble: PCMTrouble, _ code: Int, _ operation: String, isRecovered: Bool) {
        let error = PCMError(code: CInt(clamping: code), operation: operation, device: parameters.device)
        counters.record(error, trouble, at: clock.monotonic, isAbsent: !isRecovered)
        counters.countGap()
        blocks.beginGap(trouble.reason)
        if !isRecovered { (stream, isAbsent) = (nil, true) }
    }

    // MARK: The card paces

    private func runByHardware(_ stream: PCMStream) {
        // A stream that has recovered runs already.
        let started = isRunning ? 0 : stream.start()
        guard started >= 0 else { return recover(started, "start", stream) }
        while !waker.isStopping, self.stream != nil { turn(stream) }
    }

    private func turn(_ stream: PCMStream) {
        let readiness = stream.wait(waker, atMost: stream.layout.periodTime * 3)
        counters.countWakeUp()
        waker.countTurn()  // for the watchdog
        switch readiness {
        case .woken: break
        case .silent: giveUp(stream)
        case .failed(let error): recover(error, "wait", stream)
        case .ready: read(stream)
        }
    }

    private func read(_ stream: PCMStream) {
        let time = stream.timeOfNextFrame(clock)
        let frame = stream.layout.bytesPerFrame
        let read = buffer.withUnsafeMutableBytes { stream.read(into: $0, frames: $0.count / frame) }
        if read > 0 { push(read, frame, at: time) } else { recover(read, "read", stream) }
    }

    /// A card that delivers nothing for three periods hangs.
    private func giveUp(_ stream: PCMStream) {
        stream.drop()
        interrupt(.hung, Int(ETIMEDOUT), "wait for sound", isRecovered: false)
    }

    /// Handles a call that gave `result`: 0 frames, or libasound's negative error.
    private func recover(_ result: Int, _ operation: String, _ stream: PCMStream) {
        let recovery = result == 0 ? .retry : PCMError.recovery(from: result)
        recoveries += 1
        if recovery == .retry, recoveries <= Self.recoveryLimit {
            // Ready and yet nothing to read: ask a little later, or this would spin.
            return waker.wait(atMost: stream.layout.periodTime / 4)
        }
        let error = PCMError(code: CInt(clamping: result), operation: operation, device: parameters.device)
        let isRecovered = recoveries <= Self.recoveryLimit && stream.apply(recovery, waker)
        isRunning = isRecovered
        if !isRecovered { stream.drop() }
        interrupt(recovery == .retry ? .hung : PCMTrouble(error), result, operation, isRecovered: isRecovered)
    }

    // MARK: The clock paces

    private func runByClock(_ stream: PCMStream) {
        guard let loop = pacingLoop() else { return }
        var pacer = FramePacer(stream.layout, start: clock.monotonic)
        loop.onAlarm = { [unowned loop] now in
            self.counters.countWakeUp()
            if self.serve(stream, &pacer, now) { loop.setAlarm(now + stream.layout.periodTime) }
        }
        loop.setAlarm(clock.monotonic + stream.layout.periodTime)
        while !waker.isStopping, self.stream != nil, loop.failure == nil { loop.turn() }
        loop.onAlarm = nil
    }

    /// The loop that paces; nil when the kernel has no descriptors left, which counts as a fault and is tried
    /// again like a device that is gone.
    private func pacingLoop() -> EventLoop? {
        do throws(SystemError) { return try EventLoop(clock: clock, waker: waker) } catch {
            interrupt(.failed, Int(error.code), error.operation, isRecovered: false)
            return nil
        }
    }

    /// Asks for exactly the frames due; false when the device is gone.
    private func serve(_ stream: PCMStream, _ pacer: inout FramePacer, _ now: MonotonicTime) -> Bool {
        let frame = stream.layout.bytesPerFrame
        let lost = pacer.overrun(at: now)
        if lost > 0 {
            interrupt(.overrun, Int(EPIPE), "read in time", isRecovered: true)
            pacer.advance(lost)
        }
        while case let due = pacer.due(at: now), due > 0 {
            let read = buffer.withUnsafeMutableBytes { stream.read(into: $0, frames: min(due, $0.count / frame)) }
            guard read > 0 else {
                interrupt(.failed, read, "read", isRecovered: false)
                return false
            }
            push(read, frame, at: pacer.time)
            pacer.advance(read)
        }
        return true
    }

    // MARK: Both

    /// Passes on frames of `frame` bytes each from `buffer`. Frames end a trouble: the card counts as there.
    private func push(_ frames: Int, _ frame: Int, at time: MonotonicTime) {
        buffer.withUnsafeBytes {
            blocks.append(UnsafeRawBufferPointer(rebasing: $0[..<(frames * frame)]), at: time, to: ring)
        }
        (recoveries, pause) = (0, .zero)
        if isAbsent {
            isAbsent = false
            counters.noteReturn()
        }
        counters.countRead(frames)
        counters.setLost(blocks.framesLost)
    }
}
