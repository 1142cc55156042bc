// SPDX-License-Identifier: Apache-2.0
import Device
import Testing

@Suite struct FramebufferNameTests {
    @Test(
        arguments: [
            ("fb:RPi-Sense FB", "RPi-Sense FB", nil), ("fb:fb1:3,4", "fb1", PixelArea(x: 3, y: 4)),
            ("fb:RPi-Sense FB:0,6,8x2", "RPi-Sense FB", PixelArea(x: 0, y: 6, width: 8, height: 2)),
        ] as [(String, String, PixelArea?)]) func pixelsAreNamedInABoardFile(
            _ text: String, _ device: String, _ area: PixelArea?
        ) throws
    {
        let name = try FramebufferName(parsing: text)
        #expect(name.device == device && name.area == area && name.description == text)
    }

    @Test(arguments: ["fb:", "fb", "fb:a:1", "fb:a:1,", "fb:a:-1,2", "fb:a:1,2,3", "fb:a:1,2,0x1", "fb::1,2"])
    func whatNamesNoPixelsIsRefused(_ text: String) {
        #expect(throws: DeviceNameError.self) { try FramebufferName(parsing: text) }
    }
}
