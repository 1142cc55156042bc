// SPDX-License-Identifier: Apache-2.0
import Device
import Testing

@Suite struct BuzzerNameTests {
    @Test func aBuzzerIsAChannelOrALine() throws {
        let channel = try BuzzerName(parsing: "/sys/class/pwm/pwmchip0/pwm0")
        let line = try BuzzerName(parsing: "/dev/gpiochip0:22")
        #expect(channel == .channel("/sys/class/pwm/pwmchip0/pwm0") && channel.hasPitch)
        #expect(line == .line(try GPIOLineName(parsing: "/dev/gpiochip0:22")) && !line.hasPitch)
    }

    @Test(arguments: ["", "pwm0", "/dev/gpiochip0"]) func whatNamesNoBuzzerIsRefused(_ text: String) {
        #expect(throws: DeviceNameError.self) { try BuzzerName(parsing: text) }
    }
}
