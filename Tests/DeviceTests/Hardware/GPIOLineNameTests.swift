// SPDX-License-Identifier: Apache-2.0
import Device
import Testing

@Suite struct GPIOLineNameTests {
    @Test(arguments: [
        ("/dev/gpiochip0:17", "/dev/gpiochip0:17", false), ("gpiochip4:0", "/dev/gpiochip4:0", false),
        ("gpio:pinctrl-bcm2711:4", "gpio:pinctrl-bcm2711:4", false), ("gpio:a:b:4", "gpio:a:b:4", false),
        ("line:GPIO17", "line:GPIO17", false), ("line:GPIO17:active-low", "line:GPIO17:active-low", true),
        ("/dev/gpiochip0:5:active-low", "/dev/gpiochip0:5:active-low", true),
    ]) func linesAreNamedByChipLabelOrTheirOwnName(_ text: String, _ canonical: String, _ isActiveLow: Bool) throws {
        let name = try GPIOLineName(parsing: text)
        #expect(name.description == canonical)
        #expect(name.isActiveLow == isActiveLow)
        #expect(try GPIOLineName(parsing: canonical) == name)
    }

    @Test(arguments: [
        "", ":", "17", "gpiochip0", "gpiochip:1", "gpiochip0:-1", "gpiochip0:x", "gpiochip0:4294967296", "gpio::1",
        "line:",
        "led0:1", "/dev/:3",
    ]) func whatNamesNoLineIsRefusedWithWhatWouldBeRight(_ text: String) {
        let error = #expect(throws: DeviceNameError.self) { try GPIOLineName(parsing: text) }
        #expect(error?.description.contains("'") == true)
    }

    @Test func aLabelOrNameThatNothingHasIsNamed() throws {
        for text in ["gpio:no-such-label:1", "line:NO_SUCH_LINE"] {
            let error = #expect(throws: GPIOError.self) { _ = try GPIOLineName(parsing: text).output() }
            #expect(error?.description.contains(text == "line:NO_SUCH_LINE" ? text : "gpio:no-such-label") == true)
        }
    }
}
