// SPDX-License-Identifier: Apache-2.0
import Device
import Testing

@Suite struct GPIOLinesTests {
    @Test(arguments: ["/dev/no-such-chip", "/dev/null", "gpiochip99"]) func withoutAChipTheErrorNamesItAndTheRemedy(
        _ chip: String
    ) {
        let inputs = #expect(throws: GPIOError.self) { _ = try GPIOLines(chip: chip, lines: [17, 27]) }
        let output = #expect(throws: GPIOError.self) { _ = try GPIOOutput(chip: chip, line: 5) }
        for text in [inputs?.description, output?.description] {
            #expect(text?.contains("open \(chip.hasPrefix("/") ? chip : "/dev/\(chip)")") == true, "\(text ?? "")")
            #expect(text?.contains("gpiodetect") == true)
        }
    }
}
