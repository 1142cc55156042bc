// SPDX-License-Identifier: Apache-2.0
import Base
import CLinux
import Device
import SystemKit
import Testing

@Suite struct AwaitedLineTests {
    /// A line without an edge, until it is taken away.
    private final class QuietLine: InterruptLine {
        private let waker: Waker
        var isLost = false

        init() throws { waker = try Waker() }

        var descriptor: CInt { waker.descriptor }

        func readEdge() throws(SystemError) -> MonotonicTime? {
            if isLost { throw SystemError(code: ENODEV, operation: "read", place: "the line") }
            return nil
        }
    }

    /// What happens to a line, in the order of time, and when it is looked for.
    private final class Life {
        var now = MonotonicTime.zero
        var looks: [Int64] = []
        var line: QuietLine?

        func open() throws -> any InterruptLine {
            looks.append((now - .zero).milliseconds)
            guard let line else { throw SystemError(code: EBUSY, operation: "take", place: "the line") }
            return line
        }
    }

    /// After a second, then after twice as long each time; and a line that was found is looked for after a second again.
    @Test func aLineThatIsLostIsLookedForAfterASecondHoweverLongItWasMissingBefore() throws {
        let life = Life()
        let condition = AwaitedLine.Condition()
        let awaited = try AwaitedLine(condition, now: { life.now }, open: { try life.open() })
        func read(at milliseconds: Int64) throws {
            life.now = .zero + .milliseconds(milliseconds)
            #expect(try awaited.readEdge() == nil)
        }
        let descriptor = awaited.descriptor
        for time in [999, 1000, 2999] as [Int64] { try read(at: time) }
        #expect(!awaited.isThere && condition.fault != nil && condition.absences == 1)
        life.line = try QuietLine()
        try read(at: 3000)
        #expect(awaited.isThere && condition.fault == nil && condition.absences == 1)
        try read(at: 9000)
        life.line?.isLost = true
        try read(at: 10_000)
        #expect(!awaited.isThere && condition.fault != nil && condition.absences == 2)
        life.line = try QuietLine()
        try read(at: 10_999)
        #expect(!awaited.isThere)
        try read(at: 11_000)
        #expect(awaited.isThere && condition.fault == nil && condition.absences == 2)
        #expect(life.looks == [0, 1000, 3000, 11_000] && awaited.descriptor == descriptor)
    }
}
