// SPDX-License-Identifier: Apache-2.0
import Device
import SystemKit
import Testing

@Suite struct SysfsLEDTests {
    @Test func aLightOfOneColourShowsBrightnessAndGoesDark() throws {
        let folder = try ScratchFolder()
        _ = try folder.file("max_brightness", Array("15\n".utf8))
        _ = try folder.file("brightness", Array("15\n".utf8))
        _ = try folder.file("trigger", Array("none [heartbeat]\n".utf8))
        let light = try SysfsLED(directory: folder.path)
        #expect(try folder.text("brightness") == "0\n" && folder.text("trigger") == "none\n")
        #expect(!light.isColoured)
        try light.show(LightColour(red: 255, green: 0, blue: 0))
        #expect(try folder.text("brightness") == "15\n")
        light.close()
        #expect(try folder.text("brightness") == "0\n")
    }

    @Test func coloursAreWrittenInTheOrderTheKernelNames() throws {
        let folder = try ScratchFolder()
        for (name, text) in [
            ("max_brightness", "255"), ("brightness", "0"), ("multi_index", "green red blue"),
            ("multi_intensity", "0 0 0"),
        ] { _ = try folder.file(name, Array(text.utf8)) }
        do {
            let light = try SysfsLED(directory: folder.path)
            #expect(light.isColoured)
            try light.show(LightColour(red: 1, green: 20, blue: 255))
            #expect(try folder.text("multi_intensity") == "20 1 255\n" && folder.text("brightness") == "255\n")
        }
        #expect(try folder.text("multi_intensity") == "0 0 0\n" && folder.text("brightness") == "0\n")
    }

    @Test func aMissingLightIsNamed() {
        let error = #expect(throws: SystemError.self) { _ = try SysfsLED(directory: "/nowhere/led") }
        #expect(error?.description.contains("/nowhere/led/brightness") == true)
    }
}
