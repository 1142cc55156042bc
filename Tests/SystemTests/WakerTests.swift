// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc
import Testing

@testable import SystemKit

/// eventfd(2): what was written is added up, and one read takes it back.
@Suite(.timeLimit(.minutes(10))) struct WakerTests {
    private static func isReadable(_ waker: Waker) -> Bool {
        var request = pollfd(fd: waker.descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, 0) == 1
    }

    @Test func wakesAreTakenBackTogetherAndEachRoundIsCounted() throws {
        let waker = try Waker()
        #expect(!Self.isReadable(waker) && waker.turns == 0 && waker.threadID == 0)
        for _ in 0..<3 { waker.wake() }
        #expect(Self.isReadable(waker) && waker.turns == 0)
        waker.clear()
        #expect(!Self.isReadable(waker) && waker.turns == 1 && waker.threadID == clinux_thread_id())
        // Nothing is there to be taken back: it has come round all the same.
        waker.clear()
        waker.countTurn()
        #expect(waker.turns == 3)
        waker.wait(atMost: .zero)
        #expect(waker.turns == 4)
    }

    @Test func stoppingWakesAndStays() throws {
        let waker = try Waker()
        #expect(!waker.isStopping)
        waker.stop()
        #expect(waker.isStopping && Self.isReadable(waker))
        waker.wait()
        #expect(waker.isStopping && !Self.isReadable(waker))
    }
}
