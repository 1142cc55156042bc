// SPDX-License-Identifier: Apache-2.0
import Device
import Testing

@Suite struct CombinedLEDTests {
    @Test func eachPartGetsItsShareOfTheColour() throws {
        let folders = try (0..<3).map { _ in try ScratchFolder() }
        for folder in folders { _ = try folder.file("brightness") }
        let lights = try folders.map { try SysfsLED(directory: $0.path) }
        let light = CombinedLED(red: lights[0], green: lights[1], blue: lights[2])
        #expect(light.isColoured)
        try light.show(LightColour(red: 255, green: 0, blue: 7))
        #expect(try folders.map { try $0.text("brightness") } == ["255\n", "0\n", "7\n"])
        light.close()
        #expect(try folders.map { try $0.text("brightness") } == ["0\n", "0\n", "0\n"])
    }
}
