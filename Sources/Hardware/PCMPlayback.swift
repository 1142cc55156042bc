// SPDX-License-Identifier: Apache-2.0
import CLinux
import Synchronization
import Times

/// Plays sounds one after another on a thread of its own; nobody who asks for one waits.
///
/// The device is opened for the first sound and again when the rate changes or it failed.
public final class PCMPlayback: Sendable {
    /// How a sound ended.
    public enum Ending: Sendable, Equatable {
        /// It has sounded to its end.
        case played
        /// `stop` or `close` came first.
        case stopped
        /// The device refused.
        case failed(PCMError)
        /// More sounds waited than the queue holds; this one was not taken.
        case queueFull
    }

    /// How many sounds may wait.
    public static let queueLimit = 32

    private let waker: Waker
    private let queue: SoundQueue
    private let thread: Mutex<MeasuringThread?>

    /// A player for a device; `parameters.rate` is replaced by that of each sound. The device is not opened yet.
    public init(_ parameters: PCMParameters, clock: any StudyClock, name: String = "playback") throws(SystemError) {
        let waker = try Waker()
        let queue = SoundQueue()
        self.waker = waker
        self.queue = queue
        let player = PlaybackLoop(parameters, clock: clock, waker: waker, queue: queue)
        thread = Mutex(try MeasuringThread(name: name) { player.run() })
    }

    /// Plays mono samples after what already waits. `ended` is called exactly once, on the player's thread, or at once on
    /// the caller's when the queue is full or closed.
    public func play(samples: [Int16], rate: Int, ended: @escaping @Sendable (Ending) -> Void = { _ in }) {
        let sound = Sound(samples: samples, rate: rate, ended: ended)
        if let refusal = queue.append(sound) { return ended(refusal) }
        waker.wake()
    }

    /// Silence within 50 ms: ends the present sound and forgets what waits.
    public func stop() {
        queue.stop()
        waker.wake()
    }

    /// Silence, and the end of the thread, which is waited for. Calling it again does nothing.
    public func close() {
        queue.stop(closing: true)
        waker.stop()
        thread.withLock { $0.take()?.join() }
    }

    deinit {
        queue.stop(closing: true)
        waker.stop()
    }

    /// Opens and closes the device with these parameters: the self-test.
    public static func check(_ parameters: PCMParameters) throws(PCMError) { _ = try PCMStream(.playback, parameters) }
}

private struct Sound: Sendable {
    let samples: [Int16]
    let rate: Int
    let ended: @Sendable (PCMPlayback.Ending) -> Void
}

/// What waits to be played. `generation` grows with each stop, so that the present sound learns of it.
private final class SoundQueue: Sendable {
    private struct State {
        var sounds: [Sound] = []
        var stopped: [Sound] = []
        var generation = 0
        var isClosed = false
    }
    private let state = Mutex(State())

    /// Takes a sound; why not, otherwise.
    func append(_ sound: Sound) -> PCMPlayback.Ending? {
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
    func next() -> (sound: Sound, generation: Int)? {
        state.withLock { $0.sounds.isEmpty ? nil : ($0.sounds.removeFirst(), $0.generation) }
    }

    func takeStopped() -> [Sound] {
        state.withLock { state in
            defer { state.stopped = [] }
            return state.stopped
        }
    }
}

/// What the thread owns.
private final class PlaybackLoop {
    /// How much is written at once: `stop` is heard this much later.
    private static let step: Duration = .milliseconds(20)

    private let parameters: PCMParameters
    private let clock: any StudyClock
    private let waker: Waker
    private let queue: SoundQueue
    private var stream: PCMStream?

    init(_ parameters: PCMParameters, clock: any StudyClock, waker: Waker, queue: SoundQueue) {
        var short = parameters
        short.period = Self.step
        short.buffer = min(parameters.buffer, .milliseconds(200))
        self.parameters = short
        self.clock = clock
        self.waker = waker
        self.queue = queue
    }

    func run() {
        while !waker.isStopping {
            for sound in queue.takeStopped() { sound.ended(.stopped) }
            if let (sound, generation) = queue.next() {
                sound.ended(play(sound, generation))
            } else {
                waker.wait()
            }
        }
        for sound in queue.takeStopped() { sound.ended(.stopped) }
    }

    private func play(_ sound: Sound, _ generation: Int) -> PCMPlayback.Ending {
        do throws(PCMError) {
            let stream = try opened(rate: sound.rate)
            stream.prepare()
            let isWhole = try write(sound, generation, stream) && finish(generation, stream)
            stream.drop()
            return isWhole ? .played : .stopped
        } catch {
            stream = nil
            return .failed(error)
        }
    }

    private func opened(rate: Int) throws(PCMError) -> PCMStream {
        if let stream, stream.parameters.rate == rate { return stream }
        stream = nil
        var wanted = parameters
        wanted.rate = rate
        let new = try PCMStream(.playback, wanted)
        stream = new
        return new
    }

    /// Writes all samples, in steps; false when stopped.
    private func write(_ sound: Sound, _ generation: Int, _ stream: PCMStream) throws(PCMError) -> Bool {
        var pacer = FramePacer(stream.parameters, start: clock.monotonic)
        let step = max(1, stream.parameters.frames(in: Self.step))
        var underruns = 0
        while pacer.position < sound.samples.count {
            if isStopped(generation) { return false }
            let end = min(sound.samples.count, pacer.position + step)
            let written = write(sound.samples[pacer.position..<end], stream)
            if written >= 0 {
                pacer.advance(written)
            } else {
                underruns += 1
                let error = PCMError(code: CInt(clamping: written), operation: "write", device: parameters.device)
                if underruns > 100 || !stream.apply(PCMError.cure(written)) { throw error }
            }
            pause(until: pacer.time)
        }
        return true
    }

    private func write(_ samples: ArraySlice<Int16>, _ stream: PCMStream) -> Int {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(samples.count * stream.parameters.bytesPerFrame)
        for sample in samples {
            for _ in 0..<stream.parameters.channels {
                stream.parameters.format.append(sample, to: &bytes)
            }
        }
        return bytes.withUnsafeBytes { stream.write($0, frames: samples.count) }
    }

    /// Waits until what was written has sounded; false when stopped. Draining by the library could not be stopped.
    private func finish(_ generation: Int, _ stream: PCMStream) -> Bool {
        guard parameters.pacing == .byHardware else { return !isStopped(generation) }
        stream.start()
        let patience = clock.monotonic + parameters.buffer * 2
        while case let rest = stream.delay, rest > 0, clock.monotonic < patience {
            if isStopped(generation) { return false }
            waker.wait(atMost: max(.milliseconds(1), min(Self.step, stream.parameters.time(of: rest))))
        }
        return true
    }

    private func pause(until time: MonotonicTime) {
        guard parameters.pacing == .byClock else { return }
        let left = time - clock.monotonic
        if left >= .milliseconds(1) { waker.wait(atMost: left) }
    }

    private func isStopped(_ generation: Int) -> Bool { waker.isStopping || queue.generation != generation }
}
