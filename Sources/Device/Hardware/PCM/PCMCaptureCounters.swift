// SPDX-License-Identifier: Apache-2.0
import Base
import Synchronization

extension PCMCapture {
    /// Counters that any thread may read; `CaptureLoop` writes them.
    package final class Counters: Sendable {
        private struct Faults {
            var troubles: [PCMTrouble: Int] = [:]
            var absence: (error: PCMError, trouble: PCMTrouble)?
            var last: PCMError?
            var lastTime: MonotonicTime?
            var isAwaited = false
        }

        private let frames = Atomic<Int>(0)
        private let lost = Atomic<Int>(0)
        private let gapCount = Atomic<Int>(0)
        private let wakeUpCount = Atomic<Int>(0)
        private let readCount = Atomic<Int>(0)
        private let faults = Mutex(Faults())

        /// Frames read from the device, as the card counts them.
        package var framesRead: Int { frames.load(ordering: .relaxed) }
        package var wakeUps: Int { wakeUpCount.load(ordering: .relaxed) }
        /// How often it took frames: once a period when all is well.
        package var reads: Int { readCount.load(ordering: .relaxed) }
        /// Frames of the wanted rate that are missing: measured by the card's time stamps, thrown
        /// away while it settled, or dropped because the ring was full.
        package var framesLost: Int { lost.load(ordering: .relaxed) }
        /// How often the stream was interrupted.
        package var gaps: Int { gapCount.load(ordering: .relaxed) }
        /// How often each kind of trouble was met; a card that stays away counts once.
        package var troubles: [PCMTrouble: Int] { faults.withLock { $0.troubles } }
        /// The last failure, over or not; nil when there was none.
        package var fault: PCMError? { faults.withLock { $0.last } }
        /// Why there is no sound now; nil as soon as frames come.
        package var absence: PCMError? { faults.withLock { $0.absence?.error } }

        /// The card was not there at the start and has given no frames yet.
        package var isAwaited: Bool { faults.withLock { $0.isAwaited } }

        /// The card is not there at the start and is waited for.
        func noteAwaited(_ error: PCMError, at time: MonotonicTime) {
            record(error, PCMTrouble(error), at: time, isAbsent: true)
            faults.withLock { $0.isAwaited = true }
        }
        func countRead(_ count: Int) {
            frames.wrappingAdd(count, ordering: .relaxed)
            readCount.wrappingAdd(1, ordering: .relaxed)
        }
        func countWakeUp() { wakeUpCount.wrappingAdd(1, ordering: .relaxed) }
        func setLost(_ count: Int) { lost.store(count, ordering: .relaxed) }
        func countGap() { gapCount.wrappingAdd(1, ordering: .relaxed) }
        func noteReturn() {
            faults.withLock {
                $0.absence = nil
                $0.isAwaited = false
            }
        }

        func record(_ error: PCMError, _ trouble: PCMTrouble, at time: MonotonicTime, isAbsent: Bool) {
            faults.withLock {
                // A card that is looked for again and again is one trouble, until it is another.
                if $0.absence?.trouble != trouble { $0.troubles[trouble, default: 0] += 1 }
                if isAbsent { $0.absence = (error, trouble) }
                ($0.last, $0.lastTime) = (error, time)
            }
        }

        /// Why there is no sound now, in words that stay the same while it lasts.
        var trouble: Explanation? {
            absence.map { error in
                let own = error.explanation
                return Explanation(
                    place: own.place, cause: own.cause,
                    remedy: Explanation.remedies(own.remedy, "waiting for it to come back"))
            }
        }

        /// What interrupted the stream within the last minute and is over, with how often each
        /// kind was met so far.
        func passedTrouble(at now: MonotonicTime) -> String? {
            faults.withLock { faults in
                guard faults.absence == nil, let last = faults.last, let time = faults.lastTime,
                    now - time < .seconds(60)
                else { return nil }
                let counts = PCMTrouble.allCases.compactMap { kind in
                    faults.troubles[kind].map { "\(kind.rawValue) \($0)" }
                }
                return "\(last); recording continued, with a gap (so far: \(counts.joined(separator: ", ")))"
            }
        }
    }
}
