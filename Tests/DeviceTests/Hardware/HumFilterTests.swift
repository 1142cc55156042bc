// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import SystemKit
import Testing

@testable import Device

/// What a finger can is a press, and what none can is not. The limits are published ones: rapid
/// tapping with one hand is 5 to 7 presses a second, and 10 for the world's fastest drummer (Fujii
/// and others, Neuroscience Letters 459 (2009) 69–73); mains hum is 50 or 60 Hz.
@Suite struct HumFilterTests {
    private func time(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: Int64(seconds * 1e9)) }

    /// Presses at that rate, each down for half of its period.
    private func edges(_ rate: Double, from start: Double = 1, seconds: Double, button: Int = 0) -> [ButtonEdge] {
        (0..<Int(rate * seconds)).flatMap { index -> [ButtonEdge] in
            let down = start + Double(index) / rate
            return [
                ButtonEdge(button: button, isPressed: true, time: time(down)),
                ButtonEdge(button: button, isPressed: false, time: time(down + 0.5 / rate)),
            ]
        }
    }

    @Test(arguments: [(7, 90), (10, 25), (14, 8), (5, 140), (0.9, 7200)] as [(Double, Double)])
    func whatHandsDoPasses(_ rate: Double, _ seconds: Double) {
        var filter = HumFilter()
        let edges = edges(rate, seconds: seconds)
        let isHandedOn = edges.allSatisfy { filter.admit($0) }
        #expect(isHandedOn && filter.humming.isEmpty && filter.due == nil)
    }

    /// The most presses that get through before the hum is recognised.
    @Test(
        arguments: [(50, 30, 10), (60, 30, 10), (100, 30, 10), (25, 30, 40), (11, 60, 250), (2, 1500, 1250)]
            as [(Double, Double, Int)])
    func whatNoHandDoesIsKeptBack(_ rate: Double, _ seconds: Double, _ most: Int) {
        var filter = HumFilter()
        let passed = edges(rate, seconds: seconds).filter { filter.admit($0) }
        #expect(passed.count <= 2 * most && filter.humming.map(\.button) == [0])
        // Nothing is left held.
        #expect(passed.last?.isPressed == false)
    }

    @Test func anHourOfHumIsARowAMinuteAndEndsAtRest() throws {
        var filter = HumFilter()
        var (rows, passed): ([ButtonHum], Int) = ([], 0)
        for edge in edges(50, seconds: 3600) {
            while let due = filter.due, due <= edge.time { rows += filter.settle(at: due) }
            if filter.admit(edge) { passed += 1 }
        }
        #expect((59...60).contains(rows.count) && rows.allSatisfy { !$0.isOver })
        let end = try #require(edges(50, seconds: 3600).last).time
        while let due = filter.due {
            #expect(due <= end + .seconds(5))
            rows += filter.settle(at: due)
        }
        #expect(rows.last?.isOver == true && filter.humming.isEmpty && filter.due == nil)
        #expect(rows.reduce(0) { $0 + $1.edges } + passed == 360_000)
        // A finger's press counts again.
        let isHandedOn = edges(1, from: 3610, seconds: 3).allSatisfy { filter.admit($0) }
        #expect(isHandedOn)
    }

    /// A line that has come to rest pressed is no button that somebody holds.
    @Test func aLineThatRestsPressedIsStillAFault() {
        var filter = HumFilter()
        for edge in edges(50, seconds: 10).dropLast() { _ = filter.admit(edge) }
        var rows = filter.settle(at: time(61.5))
        #expect(rows.map(\.isOver) == [false])
        #expect(filter.humming.count == 1 && filter.due == nil)
        let isHandedOn = filter.admit(ButtonEdge(button: 0, isPressed: false, time: time(600)))
        rows = filter.settle(at: time(606))
        #expect(!isHandedOn && rows.map(\.isOver) == [true])
    }

    /// Presses a second apart, each before which the contact had not come to rest, or had.
    @Test(arguments: [
        ([true, true, true], false), ([true, true, true, true], true), ([true, true, true, false, true], false),
        ([false, true, true, true, true], true), ([true, true, true, false, true, true, true], false),
    ]) func aContactThatDoesNotComeToRestFourTimesInARowHums(restless: [Bool], hums: Bool) {
        var filter = HumFilter()
        var isHandedOn: [Bool] = []
        for (second, isRestless) in restless.enumerated() {
            var press = ButtonEdge(button: 0, isPressed: true, time: time(Double(second) + 1))
            press.isRestless = isRestless
            isHandedOn.append(filter.admit(press))
            _ = filter.admit(ButtonEdge(button: 0, isPressed: false, time: time(Double(second) + 1.5)))
        }
        #expect(isHandedOn.last == !hums && isHandedOn.dropLast().allSatisfy { $0 })
        #expect(filter.humming.map(\.since) == (hums ? [time(Double(restless.count))] : []))
    }

    @Test func humOnOneLineDoesNotAffectAnother() {
        var filter = HumFilter()
        for edge in edges(50, seconds: 2) { _ = filter.admit(edge) }
        let isHandedOn = edges(2, from: 1.5, seconds: 3, button: 1).allSatisfy { filter.admit($0) }
        #expect(isHandedOn)
    }

    /// A debouncer listens to a humming contact again five times in its period; that the contact
    /// never rests gives it away.
    @Test func humBehindADebouncerIsToldByItsUnrest() {
        var (debouncer, filter) = (Debouncer(period: .milliseconds(20)), HumFilter())
        var passed = 0
        for step in 0..<3000 {
            let now = time(1 + Double(step) * 0.01)
            let changes = debouncer.edge(isPressed: step % 2 == 0, at: now)
            for change in changes where filter.admit(ButtonEdge(button: 0, change)) { passed += 1 }
        }
        #expect(passed < 20 && filter.humming.count == 1, "\(passed)")
    }

    /// The kernel's own bytes, through the thread that everybody hears of presses from.
    @Test func aHummingKeyIsFilteredOutAndNamed() throws {
        let pipe = try Pipe(name: "keys")
        let heard = try Collected<ButtonEdge>()
        let keys = try EvdevKeys(Descriptor(owning: dup(pipe.reading.rawValue), path: "keys"))
        let thread = try InputThread(
            name: "inputs", buttons: [EvdevButtons(keys, codes: [30, 31])], lines: [], clock: KernelClock()
        ) { heard.add($0) }
        let now = Double(KernelClock().monotonic.nanoseconds) / 1e9
        for edge in edges(50, from: now - 2, seconds: 2) + edges(1, from: now, seconds: 1, button: 1) {
            try pipe.writing.write(
                EvdevKeys.encode(
                    KeyEdge(code: edge.button == 0 ? 30 : 31, isPressed: edge.isPressed, time: edge.time)))
        }
        try soon("that the other button is heard") { heard.all.contains { $0.button == 1 && !$0.isPressed } }
        #expect(heard.all.filter { $0.button == 0 }.count <= 20 && thread.humming.map(\.button) == [0])
        thread.stop()
    }
}
