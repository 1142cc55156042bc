// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import SystemKit
import Testing

@testable import Device

/// The chips of `Tests/mocks/mock_gpio.c`, below the libgpiod of this machine.
private struct Chips {
    static func reset() throws { try MockedKernel.function("mock_gpio_reset", (@convention(c) () -> Void).self)() }

    static func notes() throws -> [String] {
        let note = try MockedKernel.function(
            "mock_gpio_note", (@convention(c) (CUnsignedInt) -> UnsafePointer<CChar>?).self)
        return sequence(state: CUnsignedInt(0)) { index in
            defer { index += 1 }
            return note(index).map { String(cString: $0) }
        }.map { $0 }
    }

    /// The pin of a line takes a level, at that many milliseconds.
    static func drive(_ line: CUnsignedInt, _ level: CInt, at milliseconds: Int64) throws {
        try MockedKernel.function("mock_gpio_drive", (@convention(c) (CUnsignedInt, CInt, Int64) -> Void).self)(
            line, level, milliseconds * 1_000_000)
    }

    /// The same, and `edges` edges are lost.
    static func lose(_ line: CUnsignedInt, _ level: CInt, edges: CUnsignedInt) throws {
        try MockedKernel.function("mock_gpio_lose", (@convention(c) (CUnsignedInt, CInt, CUnsignedInt) -> Void).self)(
            line, level, edges)
    }

    /// Chips are not opened until the next reset: that error number is the answer.
    static func refuse(_ code: CInt) throws {
        try MockedKernel.function("mock_gpio_refuse", (@convention(c) (CInt) -> Void).self)(code)
    }

    static func level(_ line: CUnsignedInt) throws -> CInt {
        try MockedKernel.function("mock_gpio_level", (@convention(c) (CUnsignedInt) -> CInt).self)(line)
    }
}

private func ms(_ value: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: value * 1_000_000) }

/// Runs only below a mocked kernel; `MockedGPIOTests` starts it.
@Suite(.serialized, .enabled(if: MockedKernel.isInside), .timeLimit(.minutes(10))) struct UnderMockedGPIO {
    init() throws {
        try Chips.reset()
        for line in [4, 17] as [CUnsignedInt] { try Chips.lose(line, 1, edges: 0) }  // pulled up, not pressed
    }

    private func panel() throws -> GPIOButtons {
        try GPIOButtons(
            chip: "gpio:mock-bank", lines: [4, 17], bias: .pullUp, isActiveLow: true,
            debouncePeriod: .milliseconds(20))
    }

    @Test func chipsAreFoundByTheirLabelsAndLinesByTheirNames() throws {
        #expect(try GPIOLineName(parsing: "gpio:mock-expander:3").resolve() == ("/dev/gpiochip1", 3))
        #expect(try GPIOLineName(parsing: "line:LED").resolve() == ("/dev/gpiochip0", 27))
        let error = #expect(throws: GPIOError.self) { try GPIOLineName(parsing: "gpio:other:3").resolve() }
        #expect(error?.present == ["/dev/gpiochip0 [mock-bank]", "/dev/gpiochip1 [mock-expander]"])
    }

    /// A user outside the group gpio: open(2) of the chip says EACCES.
    @Test(arguments: ["line:LED", "gpio:mock-expander:3"])
    func aChipThatMayNotBeOpenedIsNamedWithItsGroup(_ name: String) throws {
        try Chips.refuse(EACCES)
        defer { try? Chips.reset() }
        let error = #expect(throws: GPIOError.self) { try GPIOLineName(parsing: name).resolve() }
        let words = error?.description ?? ""
        #expect(words.contains("/dev/gpiochip0") && words.contains("Permission denied"), "\(words)")
        #expect(words.contains("the group gpio") && !words.contains("connected"), "\(words)")
        // Whatever else is wrong with a chip does not say that the name is on it.
        try Chips.refuse(ENXIO)
        let other = #expect(throws: GPIOError.self) { try GPIOLineName(parsing: name).resolve() }
        #expect(other?.present.count == 2)
    }

    @Test func aPressIsTimedAtItsFirstContactAndItsBouncingIsGone() throws {
        let buttons = try panel()
        for (index, time) in [1000, 1003, 1007, 1012, 1020].enumerated() {
            try Chips.drive(17, CInt(index % 2), at: Int64(time))
        }
        #expect(try buttons.read() == [ButtonEdge(button: 1, isPressed: true, time: ms(1000))])
        #expect(buttons.due == ms(1040))
        #expect(buttons.settle(at: ms(1040)) == [])
        #expect(buttons.due == nil)
        try Chips.drive(17, 1, at: 61_000)
        #expect(try buttons.read() == [ButtonEdge(button: 1, isPressed: false, time: ms(61_000))])
        #expect(buttons.missedEdges == 0)
        let notes = try Chips.notes()
        for line in [4, 17] {
            #expect(notes.contains("input \(line) pull-up active-low both edges, debounce 0 us, by studyd"))
        }
    }

    /// Mains hum of 50 Hz, which the kernel's own debouncing would keep silent about: each edge puts its event off (Linux
    /// 6.1.192, drivers/gpio/gpiolib-cdev.c:984, `mod_delayed_work`).
    @Test func aLineThatNeverRestsIsHeard() throws {
        let buttons = try panel()
        for edge in 0..<30 { try Chips.drive(17, CInt(edge % 2), at: Int64(1000 + 10 * edge)) }
        let edges = try buttons.read()
        #expect(edges.first == ButtonEdge(button: 1, isPressed: true, time: ms(1000)))
        #expect(edges.dropFirst().contains { $0.isPressed && $0.isRestless })
    }

    @Test func edgesThatGotLostAreCounted() throws {
        let lines = try GPIOLines(chip: "gpiochip0", lines: [4, 17], bias: .pullUp, isActiveLow: true)
        try Chips.drive(17, 0, at: 1)
        try Chips.lose(17, 1, edges: 1)
        try Chips.drive(17, 0, at: 3)
        let events = try lines.read()
        #expect(events.map(\.isActive) == [true, true] && events.map(\.line) == [17, 17])
        #expect(lines.missedEdges == 1)
    }

    /// Sixteen are read at a time. The line rises with every other edge.
    @Test(arguments: [0, 1, 8, 15, 16, 17, 33]) func ofTheEdgesThatWaitTheNewestRiseIsTold(_ edges: Int) throws {
        let line = try GPIOInterruptLine(chip: "gpiochip0", line: 17)
        for edge in 0..<edges { try Chips.drive(17, CInt(1 - edge % 2), at: Int64(1000 + edge)) }
        let newest = edges == 0 ? nil : ms(Int64(999 + edges - (edges % 2 == 0 ? 1 : 0)))
        #expect(try line.readEdge() == newest)
        #expect(try line.readEdge() == nil)
    }

    /// What the kernel dropped is reported with the next edge, once.
    @Test func theNextEdgeSaysHowManyWereDroppedBeforeIt() throws {
        let buttons = try panel()
        try Chips.drive(17, 0, at: 1000)
        #expect(try buttons.read().map(\.missedBefore) == [0])
        _ = buttons.settle(at: ms(1020))
        try Chips.lose(17, 1, edges: 1)
        try Chips.drive(17, 0, at: 3000)
        try Chips.drive(17, 1, at: 4000)
        var edges = try buttons.read()
        edges += buttons.settle(at: ms(5000))
        #expect(edges.map(\.missedBefore).reduce(0, +) == buttons.missedEdges && buttons.missedEdges == 1)
        #expect(edges.first?.missedBefore == 1)
        try Chips.drive(17, 0, at: 6000)
        #expect(try buttons.read().map(\.missedBefore) == [0])
    }

    @Test func aReleaseThatGotLostInTheBouncingIsSeenAtItsEnd() throws {
        let buttons = try panel()
        try Chips.drive(17, 0, at: 1000)
        #expect(try buttons.read().count == 1)
        try Chips.lose(17, 1, edges: 1)
        #expect(buttons.settle(at: ms(1020)) == [ButtonEdge(button: 1, isPressed: false, time: ms(1020))])
    }

    @Test func aLineThatSomebodyElseUsesIsNamedWithItsUser() throws {
        for text in [
            #expect(throws: GPIOError.self) { try GPIOOutput(chip: "gpiochip0", line: 5) },
            #expect(throws: GPIOError.self) { try GPIOLines(chip: "gpiochip0", lines: [4, 5]) },
        ] {
            #expect(text?.holders == [GPIOError.Holder(line: 5, consumer: "leds-gpio")])
            #expect(text?.description.contains("line 5 is used by leds-gpio") == true)
            #expect(text?.description.contains("request lines of /dev/gpiochip0") == true)
        }
        let error = #expect(throws: GPIOError.self) { try GPIOOutput(chip: "gpiochip1", line: 8) }
        #expect(error?.lines == [8] && error?.holders == [])
        _ = try GPIOLines(chip: "gpiochip0", lines: [4])  // given back after the failure
    }

    @Test func aLightGoesDarkBeforeItsLineIsReleased() throws {
        let light = try LightName(parsing: "line:LED:active-low").open()
        #expect(try Chips.level(27) == 1)
        try light.show(.white)
        #expect(try Chips.level(27) == 0)
        light.close()
        #expect(
            try Chips.notes() == ["output 27 active-low = 0, by studyd", "set 27 1", "set 27 0", "release 27"])
        #expect(try Chips.level(27) == 1)
        let error = #expect(throws: SystemError.self) { try light.show(.white) }
        #expect(error == SystemError(code: EBADF, operation: "set line 27 of", place: "/dev/gpiochip0"))
    }

    @Test func aBuzzerThatIsForgottenFallsSilent() throws {
        do {
            let buzzer = try BuzzerName(parsing: "/dev/gpiochip0:22").open()
            try buzzer.tone(frequency: 440)
            #expect(try Chips.level(22) == 1)
        }
        #expect(try Chips.notes() == ["output 22 = 0, by studyd", "set 22 1", "set 22 0", "release 22"])
        #expect(try Chips.level(22) == 0)
    }
}

@Suite(.timeLimit(.minutes(10))) struct MockedGPIOTests {
    @Test(.enabled(if: !MockedKernel.isInside && MockedKernel.gpio.isAvailable))
    func linesAreRightAboutTheKernelsOwnCalls() throws {
        let (status, output) = try MockedKernel.gpio.run(suite: "UnderMockedGPIO")
        #expect(status == 0, "\(output)")
        #expect(output.contains("Test run with 11 tests"), "\(output)")
    }
}
