// SPDX-License-Identifier: Apache-2.0
import Glibc
import Synchronization
import Testing

@testable import SystemKit

/// signal(7): SIGUSR1 and SIGUSR2 end a process that does not catch them.
@Suite(.serialized, .timeLimit(.minutes(10))) struct StopSignalsTests {
    private final class Calls: Sendable {
        private let numbers = Mutex<[CInt]>([])
        private let waker: Waker

        init() throws { waker = try Waker() }

        var all: [CInt] { numbers.withLock { $0 } }

        func add(_ number: CInt) {
            numbers.withLock { $0.append(number) }
            waker.wake()
        }

        /// Waits until there are that many; a minute at most.
        func wait(for count: Int) {
            for _ in 0..<60 where all.count < count { waker.wait(atMost: .seconds(1)) }
        }
    }

    /// raise(3): it "will return only after the signal handler has returned". Other threads may block the signal.
    private func send(_ number: CInt) throws {
        let thread = try NamedThread(name: "sends") {
            var signals = sigset_t()
            sigemptyset(&signals)
            sigaddset(&signals, number)
            pthread_sigmask(SIG_UNBLOCK, &signals, nil)
            raise(number)
        }
        thread.join()
    }

    /// Often, since being woken without a signal must call nothing: that is how it begins.
    @Test func eachSignalComesOnceByItsNumber() throws {
        for _ in 0..<20 {
            let calls = try Calls()
            let signals = try StopSignals([SIGUSR1, SIGUSR2]) { calls.add($0) }
            for (place, number) in [SIGUSR2, SIGUSR1, SIGUSR1].enumerated() {
                try send(number)
                calls.wait(for: place + 1)
            }
            signals.end()
            #expect(calls.all == [SIGUSR2, SIGUSR1, SIGUSR1])
        }
    }

    @Test func ofThoseThatCameBeforeTheLastIsPassedOn() throws {
        StopSignals.catchEarly([SIGUSR1, SIGUSR2])
        try send(SIGUSR1)
        try send(SIGUSR2)
        let calls = try Calls()
        let signals = try StopSignals([SIGUSR1, SIGUSR2]) { calls.add($0) }
        calls.wait(for: 1)
        try send(SIGUSR1)
        calls.wait(for: 2)
        signals.end()
        #expect(calls.all == [SIGUSR2, SIGUSR1])
    }

    @Test func ofThoseThatComeMeanwhileTheLastIsHandled() throws {
        let (calls, gate) = (try Calls(), try Waker())
        let signals = try StopSignals([SIGUSR1, SIGUSR2]) { number in
            calls.add(number)
            if calls.all.count == 1 { gate.wait(atMost: .seconds(60)) }
        }
        try send(SIGUSR1)
        calls.wait(for: 1)
        try send(SIGUSR1)
        try send(SIGUSR2)
        gate.wake()
        calls.wait(for: 2)
        try send(SIGUSR1)
        calls.wait(for: 3)
        signals.end()
        #expect(calls.all == [SIGUSR1, SIGUSR2, SIGUSR1])
    }

    @Test func theLatestGetsThemAndOneBeforeItCannotLetThemGo() throws {
        let (before, latest) = (try Calls(), try Calls())
        let first = try StopSignals([SIGUSR1]) { before.add($0) }
        let second = try StopSignals([SIGUSR1]) { latest.add($0) }
        first.end()
        try send(SIGUSR1)
        latest.wait(for: 1)
        second.end()
        #expect(latest.all == [SIGUSR1] && before.all == [])
    }

    /// sigaction(2): EINVAL for a signal that cannot be caught.
    @Test func oneThatCannotBeCaughtIsSaid() {
        #expect(throws: SystemError(code: EINVAL, operation: "catch signal \(SIGKILL)")) {
            try StopSignals([SIGKILL]) { _ in }
        }
    }
}
