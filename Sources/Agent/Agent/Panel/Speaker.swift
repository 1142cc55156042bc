// SPDX-License-Identifier: Apache-2.0
import Device
import Study
import Synchronization
import SystemKit

/// The one place that decides what the loudspeaker plays: the tones of signals and what they say, and the sounds
/// of a study.
///
/// An audible signal interrupts what sounds. A sound comes after what is being said, and replaces a
/// sound before it. No call waits: reading files, and rendering what is not cached, happens on a
/// separate thread.
package final class Speaker: Sendable {
    private let shared: SpeakerState
    private let worker: WorkerThread

    /// Speaks through `playback`, which its owner closes. Without a `voice` nothing is said.
    /// `playsTones` is called at each signal: true while no buzzer sounds the steps. `ended` gets
    /// how each piece of sound ended, on the player's thread, and must only post.
    package init(
        _ playback: PCMPlayback, voice: SpeechVoice?, playsTones: @escaping @Sendable () -> Bool,
        ended: @escaping @Sendable (PCMPlayback.Ending) -> Void = { _ in }
    ) throws {
        let shared = SpeakerState(
            waker: try Waker(), playback: playback, voice: voice,
            playsTones: playsTones, ended: ended)
        self.shared = shared
        worker = try WorkerThread(name: "studyd-speech", waker: shared.waker) { shared.run() }
    }

    /// Parts that were not said because they were not cached and could not be rendered.
    package var leftOut: Int { shared.leftOut.load(ordering: .relaxed) }
    package var failures: Int { shared.failures.load(ordering: .relaxed) }

    /// Why the last sound did not play, or the last text was not said, in words; nil
    /// once one has played.
    package var trouble: String? { shared.trouble }

    /// Says what the signal says, with its tones before it; a signal that cannot be heard
    /// changes nothing.
    package func play(_ plan: SignalPlan) {
        guard !plan.speech.isEmpty || plan.steps.contains(where: \.sounds) else { return }
        shared.replace(with: .signal(plan))
    }

    /// Plays a sound that `load` reads, on the speaker's thread; `failed` gets the reason where it
    /// cannot be played.
    package func play(
        _ load: @escaping @Sendable () throws -> WaveFile,
        failed: @escaping @Sendable (any Error) -> Void = { _ in }
    ) {
        shared.add(.sound(load, failed))
    }

    /// Silence within 50 ms; what waits is forgotten.
    package func stop() { shared.replace(with: nil) }

    /// Silence, and the end of the thread, which is waited for.
    package func close() {
        stop()
        worker.stop()
    }
}

private enum SpeakerOrder: Sendable {
    case signal(SignalPlan)
    case sound(@Sendable () throws -> WaveFile, @Sendable (any Error) -> Void)
}

/// What the speaker and its thread both hold. `generation` grows with each interruption: what
/// belongs to an older one is no longer played.
private final class SpeakerState: Sendable {
    private struct State {
        var orders: [SpeakerOrder] = []
        var generation = 0
        /// A sound was taken to be loaded and played, and may not be over: a new sound interrupts it.
        var soundIsOut = false

        mutating func next() -> (SpeakerOrder, Int)? {
            guard !orders.isEmpty else { return nil }
            let order = orders.removeFirst()
            if case .sound = order { soundIsOut = true }
            return (order, generation)
        }
    }

    /// What is wrong with the device, and with the voice.
    private struct Troubles {
        var device: String?
        var voice: String?
    }

    /// Seconds of silence between two parts.
    private static let pause = 0.12

    let waker: Waker
    let leftOut = Atomic<Int>(0)
    let failures = Atomic<Int>(0)
    private let playback: PCMPlayback
    private let voice: SpeechVoice?
    private let playsTones: @Sendable () -> Bool
    private let ended: @Sendable (PCMPlayback.Ending) -> Void
    private let state = Mutex(State())
    private let troubles = Mutex(Troubles())
    var trouble: String? { troubles.withLock { $0.device ?? $0.voice } }

    init(
        waker: Waker, playback: PCMPlayback, voice: SpeechVoice?, playsTones: @escaping @Sendable () -> Bool,
        ended: @escaping @Sendable (PCMPlayback.Ending) -> Void
    ) {
        (self.ended, self.waker, self.playback) = (ended, waker, playback)
        (self.voice, self.playsTones) = (voice, playsTones)
    }

    func replace(with order: SpeakerOrder?) {
        state.withLock {
            interrupt(&$0)
            $0.orders = order.map { [$0] } ?? []
        }
        waker.wake()
    }

    /// Only one sound waits or plays at a time.
    func add(_ sound: SpeakerOrder) {
        state.withLock {
            if $0.soundIsOut { interrupt(&$0) }
            $0.orders.removeAll { if case .sound = $0 { true } else { false } }
            $0.orders.append(sound)
        }
        waker.wake()
    }

    /// `playback.stop` only marks and wakes; under the lock, nothing of the old
    /// generation can follow it.
    private func interrupt(_ state: inout State) {
        state.generation += 1
        state.soundIsOut = false
        playback.stop()
    }

    func run() {
        while !waker.isStopping {
            switch state.withLock({ $0.next() }) {
            case (.signal(let plan), let generation)?: say(plan, generation)
            case (.sound(let load, let failed), let generation)?: play(load, failed, generation)
            case nil: waker.wait()
            }
        }
    }

    private func say(_ plan: SignalPlan, _ generation: Int) {
        let tones = SignalTones(rate: 22_050, areHeard: playsTones())
        enqueue(WaveFile(rate: tones.rate, channels: 1, samples: tones.samples(plan.steps)), generation)
        // Where speech is switched off nothing is missing.
        guard let voice else { return }
        // Cached parts of one rate, joined so far.
        var run: WaveFile?
        for part in plan.speech {
            guard isCurrent(generation) else { return }
            if let cached = voice.cached(part) {
                run = join(run, cached, generation)
            } else {
                enqueue(run, generation)
                run = rendered(part, by: voice, generation)
            }
        }
        enqueue(run, generation)
    }

    /// Parts of the same rate become one sound.
    private func join(_ first: WaveFile?, _ second: WaveFile, _ generation: Int) -> WaveFile {
        let pause = [Int16](repeating: 0, count: Int(Self.pause * Double(second.rate)))
        guard let first, first.rate == second.rate else {
            enqueue(first, generation)
            return WaveFile(rate: second.rate, channels: 1, samples: second.mono + pause)
        }
        return WaveFile(rate: first.rate, channels: 1, samples: first.samples + second.mono + pause)
    }

    private func rendered(_ part: Utterance, by voice: SpeechVoice, _ generation: Int) -> WaveFile? {
        do {
            let sound = join(nil, try voice.spoken(part) { !self.isCurrent(generation) }, generation)
            troubles.withLock { $0.voice = nil }
            return sound
        } catch {
            guard isCurrent(generation) else { return nil }
            leftOut.wrappingAdd(1, ordering: .relaxed)
            troubles.withLock { $0.voice = "a text was not spoken: \(error)" }
            return nil
        }
    }

    private func play(_ load: () throws -> WaveFile, _ failed: @Sendable (any Error) -> Void, _ generation: Int) {
        do { enqueue(try load(), generation) } catch {
            state.withLock { if $0.generation == generation { $0.soundIsOut = false } }
            failed(error)
        }
    }

    private func enqueue(_ sound: WaveFile?, _ generation: Int) {
        guard let sound, !sound.samples.isEmpty else { return }
        let mono = sound.mono
        state.withLock {
            guard $0.generation == generation else { return }
            // Called at once, still under the lock, when the queue is full: it may only count.
            playback.play(samples: mono, rate: sound.rate) { [self] in count($0) }
        }
    }

    private func count(_ ending: PCMPlayback.Ending) {
        let trouble: String? =
            switch ending {
            case .failed(let error): "\(error)"
            case .queueFull: "the sound queue is full"
            case .played, .stopped: nil
            }
        if trouble != nil { failures.wrappingAdd(1, ordering: .relaxed) }
        // A sound that was stopped says nothing about the device.
        if ending != .stopped { troubles.withLock { $0.device = trouble } }
        ended(ending)
    }

    private func isCurrent(_ generation: Int) -> Bool {
        !waker.isStopping && state.withLock { $0.generation == generation }
    }
}
