// SPDX-License-Identifier: Apache-2.0
import Base
import Simulation
import Synchronization
import Testing

@testable import Agent

@Suite(.timeLimit(.minutes(10))) struct ClockServiceTests {
    private final class Source: Sendable {
        private let opinion = Mutex(ClockTrust.Opinion(source: .unknown, uncertainty: .zero))

        var trust: ClockTrust { ClockTrust(opinion: { [self] in opinion.withLock { $0 } }) }

        func say(_ source: ClockAnchor.Source, _ uncertainty: Int, _ note: String?) {
            opinion.withLock {
                $0 = ClockTrust.Opinion(source: source, uncertainty: .seconds(uncertainty))
                $0.note = note
            }
        }
    }

    private struct Look: Sendable {
        let source: ClockAnchor.Source
        var uncertainty = 0
        var note: String?
        /// In seconds.
        let pause: Int
        let isNews: Bool
    }

    /// While prompts wait, each five seconds, else each minute. Prompts come while the clock is off by 300 s at
    /// most; an error that grows below that is no news.
    private static let looks: [Look] = [
        Look(source: .unknown, pause: 5, isNews: false), Look(source: .unknown, pause: 5, isNews: false),
        Look(source: .kernel, uncertainty: 1, pause: 60, isNews: true),
        Look(source: .kernel, uncertainty: 300, pause: 60, isNews: false),
        Look(source: .kernel, uncertainty: 301, pause: 5, isNews: true),
        Look(source: .kernel, uncertainty: 302, pause: 5, isNews: false),
        Look(source: .kernel, uncertainty: 302, note: "odd", pause: 5, isNews: true),
        Look(source: .gps, uncertainty: 1, pause: 60, isNews: true),
        Look(source: .kernel, uncertainty: 1, pause: 60, isNews: true),
        Look(source: .vouched, uncertainty: 301, pause: 60, isNews: true),
        Look(source: .unknown, pause: 5, isNews: true),
    ]

    @Test func theLoopHearsOfEachChangeOnce() async throws {
        let (clock, source, mailbox) = (VirtualClock(now: .epoch), Source(), Mailbox())
        let service = ClockService(clock: clock, trust: source.trust, bound: .seconds(300), mailbox: mailbox)
        var running: Task<Void, any Error>?
        for look in Self.looks {
            source.say(look.source, look.uncertainty, look.note)
            if let next = clock.nextDeadline { clock.advance(to: next) }
            running = running ?? Task { try await service.run() }
            await clock.whenSleeping(1)
            #expect(clock.nextDeadline == clock.monotonic + .seconds(look.pause), "\(look)")
            mailbox.post(.lookAround)
        }
        if let running {
            running.cancel()
            try await running.value
        }
        mailbox.post(.stop)
        var (news, count) = ([Int](), 0)
        reading: for await event in mailbox.events {
            switch event {
            case .alarm: count += 1
            case .lookAround:
                news.append(count)
                count = 0
            default: break reading
            }
        }
        #expect(news == Self.looks.map { $0.isNews ? 1 : 0 })
    }
}
