// SPDX-License-Identifier: Apache-2.0
import Device
import Testing

@Suite struct FramebufferLEDTests {
    @Test func onePixelOfTheSenseHATIsRGB565AndTheRestStays() throws {
        let paper = try PaperFramebuffer(width: 8, height: 8, bits: 16, stride: 16)
        let light = try FramebufferLED(try paper.open(), area: PixelArea(x: 1, y: 7))
        var expected = [UInt8](repeating: 0xEE, count: 128)
        expected.replaceSubrange(114..<116, with: [0, 0])
        #expect(try paper.picture == expected)
        try light.show(LightColour(red: 255, green: 0, blue: 0))
        expected.replaceSubrange(114..<116, with: [0x00, 0xF8])
        #expect(try paper.picture == expected)
        try light.show(LightColour(red: 0x10, green: 0x08, blue: 0xFF))
        expected.replaceSubrange(114..<116, with: [0x5F, 0x10])
        #expect(try paper.picture == expected)
        #expect(light.isColoured)
    }

    @Test func theWholeMatrixGoesDarkWhenItsLightIsGone() throws {
        let paper = try PaperFramebuffer(width: 8, height: 8, bits: 16, stride: 16)
        do {
            let light = try FramebufferLED(try paper.open())
            try light.show(.white)
            #expect(try paper.picture == [UInt8](repeating: 0xFF, count: 128))
        }
        #expect(try paper.picture == [UInt8](repeating: 0, count: 128))
    }
}
