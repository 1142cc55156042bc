// SPDX-License-Identifier: Apache-2.0
import Device
import Testing

@Suite struct LightNameTests {
    @Test func aLightIsAFolderALineOrPixels() throws {
        #expect(try LightName(parsing: "/sys/class/leds/a:b").parts == [.folder("/sys/class/leds/a:b")])
        #expect(
            try LightName(parsing: "gpio:soc:17").parts == [.line(try GPIOLineName(parsing: "gpio:soc:17"))])
        #expect(
            try LightName(parsing: "fb:RPi-Sense FB:0,7").parts
                == [.pixels(try FramebufferName(parsing: "fb:RPi-Sense FB:0,7"))])
    }

    /// A framebuffer has the name that its driver gave it, which may have any spaces.
    @Test(arguments: ["Two  Spaces", "a+b", "a +b"]) func ofANameNothingIsLeftOut(_ name: String) throws {
        let pixels = LightName.Part.pixels(try FramebufferName(parsing: "fb:\(name):0,7"))
        #expect(try LightName(parsing: "fb:\(name):0,7").parts == [pixels])
        #expect(
            try LightName(parsing: "/sys/a + fb:\(name):0,7 + /sys/b").parts == [
                .folder("/sys/a"), pixels, .folder("/sys/b"),
            ])
    }

    @Test func threeLightsAreRedGreenAndBlue() throws {
        let name = try LightName(parsing: "/dev/gpiochip0:17 + /dev/gpiochip0:27 + /dev/gpiochip0:22:active-low")
        #expect(name.parts.count == 3)
        #expect(name.parts[2] == .line(try GPIOLineName(parsing: "/dev/gpiochip0:22:active-low")))
        #expect(throws: DeviceNameError.self) { try LightName(parsing: "/sys/a + /sys/b") }
    }

    @Test func threeFoldersMakeOneColouredLight() throws {
        let folders = try (0..<3).map { _ in try ScratchFolder() }
        for folder in folders {
            _ = try folder.file("brightness", Array("0".utf8))
            _ = try folder.file("max_brightness", Array("255".utf8))
        }
        let light = try LightName(parsing: folders.map(\.path).joined(separator: " + ")).open()
        try light.show(LightColour(red: 1, green: 2, blue: 3))
        #expect(light.isColoured)
        #expect(try folders.map { try $0.text("brightness") } == ["1\n", "2\n", "3\n"])
    }

    @Test(arguments: ["", "led0", "/dev/gpiochip0", "fb:", "fb:x:1", "/sys/a +  + /sys/b"])
    func whatNamesNoLightIsRefused(_ text: String) {
        #expect(throws: DeviceNameError.self) { try LightName(parsing: text) }
    }
}
