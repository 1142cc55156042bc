// SPDX-License-Identifier: Apache-2.0
import Base
import CALSA
import CLinux
import SystemKit

/// An open stream of libasound, set up and ready. Lives on one thread alone and is closed
/// with this object.
///
/// It never blocks in the library: a busy card is an error at once, and waiting is done by polling,
/// so that ending the thread need not wait for a card that hangs. A recording calls `start`, then `wait` and
/// `read` in turn; a player writes. After an error both call `apply` with the recovery for it.
final class PCMStream {
    enum Direction { case capture, playback }

    enum Readiness: Equatable {
        case ready
        /// Nothing to move yet: the waker, a signal or an event without frames ended the wait. Not an error.
        case woken
        /// Timed out: neither frames nor a wake-up.
        case silent
        /// libasound's negative error.
        case failed(Int)
    }

    let parameters: PCMParameters
    let layout: PCMLayout
    private let direction: Direction
    private let pcm: OpaquePointer
    /// Those of the device, and at the end that of the waker.
    private var descriptors: [pollfd]

    init(_ direction: Direction, _ parameters: PCMParameters) throws(PCMError) {
        if let flaw = parameters.flaw { throw PCMError(code: EINVAL, operation: flaw, device: parameters.device) }
        let pcm = try PCMSetup.open(direction, parameters)
        do throws(PCMError) {
            layout = try PCMSetup(pcm: pcm, direction: direction, parameters: parameters).run()
        } catch {
            snd_pcm_close(pcm)
            throw error
        }
        self.parameters = parameters
        self.direction = direction
        self.pcm = pcm
        let count = max(0, Int(snd_pcm_poll_descriptors_count(pcm)))
        descriptors = [pollfd](repeating: pollfd(), count: count + 1)
    }

    deinit { snd_pcm_close(pcm) }

    /// Waits until a period of frames can be moved or the waker is woken.
    func wait(_ waker: Waker, atMost patience: Duration) -> Readiness {
        if let now = readiness() { return now }
        let place = descriptors.count - 1
        descriptors[place] = pollfd(fd: waker.descriptor, events: Int16(POLLIN), revents: 0)
        let filled = snd_pcm_poll_descriptors(pcm, &descriptors, UInt32(place))
        if filled < 0 { return .failed(Int(filled)) }
        let result = poll(&descriptors, nfds_t(descriptors.count), CInt(clamping: max(1, patience.milliseconds)))
        if result < 0 { return clinux_errno() == EINTR ? .woken : .failed(Int(-clinux_errno())) }
        if result == 0 { return .silent }
        if descriptors[place].revents != 0 {
            waker.clear()
            return .woken
        }
        return polledReadiness(ofFirst: UInt32(place))
    }

    private func polledReadiness(ofFirst count: UInt32) -> Readiness {
        var events: UInt16 = 0
        let result = snd_pcm_poll_descriptors_revents(pcm, &descriptors, count, &events)
        if result < 0 { return .failed(Int(result)) }
        if Int32(events) & (POLLERR | POLLNVAL | POLLHUP) != 0 { return .failed(stateError ?? Int(-EIO)) }
        return Int32(events) & (POLLIN | POLLOUT) != 0 ? .ready : .woken
    }

    /// What is known without polling: frames or an error; nil when it is worth waiting.
    private func readiness() -> Readiness? {
        if let error = stateError { return .failed(error) }
        let available = snd_pcm_avail_update(pcm)
        if available < 0 { return .failed(available) }
        return available >= layout.period ? .ready : nil
    }

    /// The error behind a state in which nothing can be moved.
    private var stateError: Int? {
        switch snd_pcm_state(pcm) {
        case SND_PCM_STATE_XRUN: Int(-EPIPE)
        case SND_PCM_STATE_SUSPENDED: Int(-ESTRPIPE)
        case SND_PCM_STATE_DISCONNECTED: Int(-ENODEV)
        default: nil
        }
    }

    /// Reads at most `frames` interleaved frames; how many, or libasound's negative error.
    func read(into buffer: UnsafeMutableRawBufferPointer, frames: Int) -> Int {
        snd_pcm_readi(pcm, buffer.baseAddress, snd_pcm_uframes_t(frames))
    }

    /// Writes at most `frames` interleaved frames; how many, or libasound's negative error.
    func write(_ buffer: UnsafeRawBufferPointer, frames: Int) -> Int {
        snd_pcm_writei(pcm, buffer.baseAddress, snd_pcm_uframes_t(frames))
    }

    /// CLOCK_MONOTONIC of the next frame to be read: the card's stamp less what had come by then
    /// and still waits. Where the card gives none (or stamps by another clock) the time is read
    /// here, and late by at most a period.
    func timeOfNextFrame(_ clock: any StudyClock) -> MonotonicTime {
        var available = snd_pcm_uframes_t(0)
        var stamp = snd_htimestamp_t()
        if snd_pcm_htimestamp(pcm, &available, &stamp) == 0 {
            let time = MonotonicTime(nanoseconds: Int64(stamp.tv_sec) * 1_000_000_000 + Int64(stamp.tv_nsec))
            let age = clock.monotonic - time
            if age > .seconds(-1), age < .seconds(60) { return time - layout.time(of: Int(available)) }
        }
        // First what waits, then the time: frames that come in between must not make it early.
        let waiting = max(0, snd_pcm_avail_update(pcm))
        return clock.monotonic - layout.time(of: waiting)
    }

    /// Carries out a recovery, after which a recording runs again; false when only opening again helps. A
    /// card that still sleeps is asked again until it wakes, 10 s at most.
    func apply(_ recovery: PCMError.Recovery, _ waker: Waker) -> Bool {
        switch recovery {
        case .retry: true
        case .prepare: restart()
        case .resume: resume(waker) || restart()
        case .reopen: false
        }
    }

    /// A player starts by itself with the next period written (the start threshold in `PCMSetup`).
    private func restart() -> Bool { prepare() && (direction == .playback || start() >= 0) }

    private func resume(_ waker: Waker) -> Bool {
        for _ in 0..<200 where !waker.isStopping {
            let result = snd_pcm_resume(pcm)
            // Plugins may report success and stay suspended.
            let isAsleep = result == -EAGAIN || result == 0 && stateError == Int(-ESTRPIPE)
            if !isAsleep { return result == 0 }
            waker.wait(atMost: .milliseconds(50))
        }
        return false
    }

    /// Begins to record; libasound's negative error otherwise.
    func start() -> Int { Int(snd_pcm_start(pcm)) }
    /// Ready to run again; false when the device is gone.
    func prepare() -> Bool { snd_pcm_prepare(pcm) == 0 }
    /// Stops at once; frames that wait in the buffer are lost.
    func drop() { snd_pcm_drop(pcm) }
    /// Frames that were written and have not sounded yet; nil when the device is gone.
    var delay: Int? {
        if stateError == -Int(ENODEV) { return nil }
        var frames: snd_pcm_sframes_t = 0
        return snd_pcm_delay(pcm, &frames) == 0 ? max(0, frames) : 0
    }
}
