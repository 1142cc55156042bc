// SPDX-License-Identifier: Apache-2.0
import Base

/// Work that is repeated: when its pause is over, and sooner on request.
///
/// One task reads the stream of reasons from beginning to end. A task that was cancelled while it
/// reads would end the stream for good: from then on nothing would wake the work, and nothing
/// would hold it back.
final class RepeatedWork: Sendable {
    private let clock: any StudyClock
    private let leastPause: Duration
    private let reasons: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    /// Between two rounds is at least `leastPause`, in spite of requests.
    init(clock: any StudyClock, leastPause: Duration) {
        (self.clock, self.leastPause) = (clock, leastPause)
        (reasons, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Asks for a round. Any thread; never blocks.
    func wake() { continuation.yield() }

    /// The first round at once; each says how long to wait for the next. Returns when the
    /// task is cancelled.
    func run(_ round: () async -> Duration) async {
        await withDiscardingTaskGroup { group in
            var alarm: MonotonicTime?
            continuation.yield()
            for await _ in reasons {
                let pause = await round()
                let now = clock.monotonic
                // One alarm at a time, or each request would add one more.
                if alarm.map({ $0 <= now || now + pause < $0 }) ?? true {
                    let deadline = now + pause
                    alarm = deadline
                    group.addTask { [clock, continuation] in
                        try? await clock.sleep(until: deadline)
                        continuation.yield()
                    }
                }
                try? await clock.sleep(until: now + min(leastPause, pause))
            }
            group.cancelAll()
        }
    }
}
