// SPDX-License-Identifier: Apache-2.0
import Base
import CLinux
import SystemKit

/// What a playing thread owns: the stream, and the sound being played. Every wait for the card has an end, and
/// ends early when the sound is stopped. `PCMPlayback` runs it.
///
/// A sound is stopped once the queue's `generation` is no longer the one with which it was taken.
final class PlaybackLoop {
    /// How much is written at once: `stop` is heard this much later.
    private static let step: Duration = .milliseconds(20)
    /// How long a card may take no sound before it counts as hung.
    private static let patience: Duration = .milliseconds(500)
    /// Underruns in one sound after which the card is given up.
    private static let underrunLimit = 100
    /// How often a busy card is asked again, every 100 ms, before the sound fails.
    private static let busyLimit = 5

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
            for sound in queue.removeStopped() { sound.ended(.stopped) }
            if let (sound, generation) = queue.next() {
                sound.ended(play(sound, generation))
            } else {
                waker.wait()
            }
        }
        for sound in queue.removeStopped() { sound.ended(.stopped) }
    }

    private func play(_ sound: PlayedSound, _ generation: Int) -> PCMPlayback.Ending {
        do throws(PCMError) {
            guard let stream = try opened(rate: sound.rate, generation) else { return .stopped }
            let samples = SoundResampler.resample(sound.samples, from: sound.rate, to: stream.layout.rate)
            var isWhole = try write(samples, generation, stream)
            if isWhole { isWhole = try finish(generation, stream) }
            stream.drop()
            return isWhole ? .played : .stopped
        } catch {
            stream = nil
            return .failed(error)
        }
    }

    /// Returns a stream that is ready for a sound; nil when stopped while a busy card was waited for. A card that
    /// was unplugged since the sound before refuses to be prepared, and is opened again.
    private func opened(rate: Int, _ generation: Int) throws(PCMError) -> PCMStream? {
        if let stream, stream.parameters.rate == rate, stream.prepare() { return stream }
        stream = nil
        var wanted = parameters
        wanted.rate = rate
        for attempt in 1... {
            do throws(PCMError) {
                let new = try PCMStream(.playback, wanted)
                stream = new
                return new
            } catch {
                guard error.code == EBUSY, attempt < Self.busyLimit else { throw error }
                waker.wait(atMost: .milliseconds(100))
                if isStopped(generation) { return nil }
            }
        }
        return nil
    }

    /// Writes all samples, in steps; false when stopped.
    private func write(_ samples: [Int16], _ generation: Int, _ stream: PCMStream) throws(PCMError) -> Bool {
        var pacer = FramePacer(stream.layout, start: clock.monotonic)
        let step = max(1, stream.layout.frames(in: Self.step))
        var underruns = 0
        while pacer.position < samples.count {
            if isStopped(generation) { return false }
            let end = min(samples.count, pacer.position + step)
            let written = write(samples[pacer.position..<end], stream)
            switch written {
            case 1...: pacer.advance(written)
            case 0, -Int(EAGAIN): underruns += try waitForRoom(stream)
            default: underruns += try recover(written, stream)
            }
            if underruns > Self.underrunLimit { throw error(Int(EPIPE), "write in time") }
            pause(until: pacer.time)
        }
        return true
    }

    /// Waits for the card to take more; returns the underruns from which it recovered on the way.
    private func waitForRoom(_ stream: PCMStream) throws(PCMError) -> Int {
        switch stream.wait(waker, atMost: Self.patience) {
        case .ready, .woken: return 0
        case .silent: throw error(Int(ETIMEDOUT), "play on")
        case .failed(let result): return try recover(result, stream)
        }
    }

    /// Makes the stream run again; returns 1, since it counts as an underrun.
    private func recover(_ result: Int, _ stream: PCMStream) throws(PCMError) -> Int {
        guard stream.apply(PCMError.recovery(from: result), waker) else { throw error(result, "write") }
        return 1
    }

    /// Writes mono samples to all channels; returns how many were taken, or libasound's negative error.
    private func write(_ samples: ArraySlice<Int16>, _ stream: PCMStream) -> Int {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(samples.count * stream.layout.bytesPerFrame)
        for sample in samples {
            for _ in 0..<stream.layout.channels { stream.layout.format.append(sample, to: &bytes) }
        }
        return bytes.withUnsafeBytes { stream.write($0, frames: samples.count) }
    }

    /// Waits until what was written has sounded; false when stopped. Draining by the library
    /// could not be stopped.
    private func finish(_ generation: Int, _ stream: PCMStream) throws(PCMError) -> Bool {
        guard parameters.pacing == .byHardware else { return !isStopped(generation) }
        // A sound shorter than a period has not started by itself; one that has refuses,
        // which is no fault.
        _ = stream.start()
        // A card may have a larger buffer than was asked for.
        let patience = clock.monotonic + max(parameters.buffer, stream.layout.time(of: stream.layout.buffer)) * 2
        while clock.monotonic < patience {
            guard let rest = stream.delay else { throw error(Int(ENODEV), "play to the end") }
            if rest == 0 { break }
            if isStopped(generation) { return false }
            waker.wait(atMost: max(.milliseconds(1), min(Self.step, stream.layout.time(of: rest))))
        }
        return true
    }

    private func pause(until time: MonotonicTime) {
        guard parameters.pacing == .byClock else { return }
        let left = time - clock.monotonic
        if left >= .milliseconds(1) { waker.wait(atMost: left) }
    }

    private func error(_ code: Int, _ operation: String) -> PCMError {
        PCMError(code: CInt(clamping: code), operation: operation, device: parameters.device)
    }

    private func isStopped(_ generation: Int) -> Bool { waker.isStopping || queue.generation != generation }
}
