// SPDX-License-Identifier: Apache-2.0
import Device
import Glibc
import SystemKit
import Testing

@Suite struct InputDeviceNameTests {
    private let joystick = "Raspberry Pi Sense HAT Joystick"

    @Test func aDeviceIsFoundByTheKernelsNameForIt() throws {
        let classFolder = try TreeOfFolders([
            ("event0/device/name", "gpio-keys"), ("event7/device/name", "Raspberry Pi Sense HAT Joystick"),
        ])
        let name = try InputDeviceName(parsing: "input:\(joystick)")
        #expect(try name.path(classFolder: classFolder.path, deviceFolder: "/dev/input") == "/dev/input/event7")
        let other = try InputDeviceName(parsing: "input:other")
        let error = #expect(throws: SystemError.self) { try other.path(classFolder: classFolder.path) }
        #expect(error?.description.contains("event7 '\(joystick)'") == true)
    }

    @Test(arguments: ["/dev/input/event0", "/dev/input/by-id/usb-x-event-kbd", "input:a"])
    func aFileOrALinkIsTakenAsItIs(_ text: String) throws {
        let name = try InputDeviceName(parsing: text)
        #expect(name.description == text)
        if text.hasPrefix("/") { #expect(try name.path() == text) }
    }

    @Test(arguments: ["", "/", "input:", "event0"]) func whatNamesNoInputDeviceIsRefused(_ text: String) {
        #expect(throws: DeviceNameError.self) { try InputDeviceName(parsing: text) }
    }
}
