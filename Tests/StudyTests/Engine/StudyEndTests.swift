// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

/// A study that is over ten minutes after its start, and five after the last task where one was done.
@Suite struct StudyEndTests {
    private struct Closing: StudyClosing {
        func end(in context: ScheduleContext, lastDone: Instant?) -> Instant? {
            lastDone.map { $0 + .seconds(300) } ?? Sample.after(10)
        }
    }

    @Test func itIsSaidOnceAndAfterTenMinutesAgain() {
        var end = StudyEnd(Closing(), in: Sample.context(), lastDone: nil)
        let said = [9, 10, 10, 11, 19, 20, 29, 30].filter { end.takeEnd(at: Sample.after($0)) }
        #expect(said == [10, 20, 30] && end.wake == Sample.after(40))
    }

    @Test func whatWasDoneLastDecidesIt() {
        var end = StudyEnd(Closing(), in: Sample.context(), lastDone: Sample.after(1))
        #expect(end.wake == Sample.after(6))
        end.update(in: Sample.context(), done: Sample.after(20))
        #expect(end.wake == Sample.after(25))
        end.update(in: Sample.context())
        let said = [24, 25].filter { end.takeEnd(at: Sample.after($0)) }
        #expect(said == [25] && end.wake == Sample.after(35))
    }

    @Test func aStudyWithoutARuleIsNeverOver() {
        var end = StudyEnd(nil, in: Sample.context(), lastDone: Sample.start)
        end.update(in: Sample.context(), done: Sample.after(1))
        let isOver = end.takeEnd(at: Sample.after(1_000_000))
        #expect(!isOver && end.wake == nil)
    }
}
