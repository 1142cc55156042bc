// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

/// docs/panel.md: a prompt is signalled a few times, then only its light; one that was put off comes
/// again after ten minutes.
@Suite struct PromptQueueTests {
    private static func at(_ seconds: Int) -> MonotonicTime { .zero + .seconds(seconds) }

    private static func item(_ id: String) -> PromptItem {
        PromptItem(id: id, text: PromptText(title: id, message: ""))
    }

    /// The seconds at which the first prompt is signalled from now on, until it is no longer by itself.
    private static func told(_ queue: inout PromptQueue) -> [Int] {
        var times: [Int] = []
        while times.count < 20, let next = queue.nextSignal {
            guard queue.takeDue(at: next) != nil else { break }
            times.append(Int((next - MonotonicTime.zero).components.seconds))
        }
        return times
    }

    @Test func itIsSignalledAtOnceAndFourTimesMore() {
        var queue = PromptQueue(SessionLimits())
        queue.add(Self.item("a"), at: Self.at(5))
        let early = queue.takeDue(at: Self.at(4))
        #expect(early == nil && !queue.wasCurrentSignalled)
        let first = queue.takeDue(at: Self.at(5))
        #expect(first?.item.id == "a" && first?.isFirst == true && queue.wasCurrentSignalled)
        let again = queue.takeDue(at: Self.at(35))
        #expect(again?.isFirst == false)
        #expect(Self.told(&queue) == [95, 215, 515] && queue.nextSignal == nil)
    }

    /// However often it was signalled before, it is at once, and then as after a first signal.
    @Test(arguments: [(1, 4), (2, 4), (5, 4), (0, 5)]) func whatWasPutOffIsSignalledAsAfterAFirstSignal(
        before: Int, after: Int
    ) {
        var queue = PromptQueue(SessionLimits())
        queue.add(Self.item("a"), at: Self.at(0))
        for _ in 0..<before {
            let next = queue.nextSignal ?? Self.at(0)
            _ = queue.takeDue(at: next)
        }
        let isPutOff = queue.putOff("a", at: Self.at(1_000))
        #expect(isPutOff && queue.current == nil && queue.nextReturn == Self.at(1_600))
        queue.bringBack(at: Self.at(1_599))
        #expect(queue.current == nil)
        queue.bringBack(at: Self.at(1_600))
        #expect(queue.current?.id == "a" && queue.nextReturn == nil)
        let told = Self.told(&queue)
        #expect(told.first == 1_600 && told.count == after, "\(told)")
        #expect(told[1] - told[0] == (before == 0 ? 30 : 60))
    }

    /// Until when it is put off, as a restart finds it at 1000 s: at once where that is later than a press
    /// puts it off, as by a clock that has gone back.
    @Test(arguments: [(999, nil), (1_000, nil), (1_001, 1_001), (1_600, 1_600), (1_601, nil)] as [(Int, Int?)])
    func whatARestartFindsPutOffComesAgainAtItsTime(_ until: Int, _ again: Int?) {
        var queue = PromptQueue(SessionLimits())
        queue.add(Self.item("a"), putOffUntil: Self.at(until), at: Self.at(1_000))
        #expect(queue.nextReturn == again.map(Self.at) && (queue.current == nil) == (again != nil))
        queue.bringBack(at: Self.at(again ?? 1_000))
        let told = Self.told(&queue)
        #expect(told.first == again ?? 1_000)
    }

    @Test func eachPromptWaitsOnceAndWhatIsGoneCannotBePutOff() {
        var queue = PromptQueue(SessionLimits())
        for id in ["a", "b", "a"] { queue.add(Self.item(id), at: Self.at(0)) }
        #expect(queue.all.map(\.item.id) == ["a", "b"] && queue.current?.id == "a")
        queue.remove("a")
        let isPutOff = queue.putOff("a", at: Self.at(1))
        #expect(!isPutOff && queue.current?.id == "b")
        queue.removeAll()
        #expect(queue.all.isEmpty && queue.current == nil)
    }
}
