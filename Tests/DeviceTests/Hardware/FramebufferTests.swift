// SPDX-License-Identifier: Apache-2.0
import Device
import Glibc
import SystemKit
import Testing

/// A plain file with the layout of a framebuffer, and the attributes that describe it.
final class PaperFramebuffer {
    let attributes = try? ScratchFolder()
    let folder: ScratchFolder
    let file: String

    init(width: Int, height: Int, bits: Int, stride: Int, name: String = "RPi-Sense FB") throws {
        folder = try ScratchFolder()
        file = try folder.file("fb0", [UInt8](repeating: 0xEE, count: stride * height))
        for (attribute, text) in [
            ("name", name), ("virtual_size", "\(width),\(height)"), ("bits_per_pixel", "\(bits)"),
            ("stride", "\(stride)"),
        ] { _ = try attributes?.file(attribute, Array("\(text)\n".utf8)) }
    }

    func open() throws -> Framebuffer { try Framebuffer(path: file, attributes: attributes?.path ?? "") }
    var picture: [UInt8] { get throws { try contents(file) } }
}

@Suite struct FramebufferTests {
    @Test func aRectangleHonoursTheStride() throws {
        let paper = try PaperFramebuffer(width: 3, height: 2, bits: 32, stride: 20)
        let light = try FramebufferLED(try paper.open(), area: PixelArea(x: 1, y: 0, width: 2, height: 2))
        try light.show(LightColour(red: 1, green: 2, blue: 3))
        let row: [UInt8] = [0xEE, 0xEE, 0xEE, 0xEE, 3, 2, 1, 0, 3, 2, 1, 0] + [UInt8](repeating: 0xEE, count: 8)
        #expect(try paper.picture == row + row)
    }

    @Test func pixelsOutsideThePictureAndUnknownFormatsAreRefused() throws {
        let paper = try PaperFramebuffer(width: 8, height: 8, bits: 16, stride: 16)
        let open = try paper.open()
        #expect(throws: SystemError.self) { try FramebufferLED(open, area: PixelArea(x: 7, y: 0, width: 2)) }
        let odd = try PaperFramebuffer(width: 8, height: 8, bits: 1, stride: 1)
        let error = #expect(throws: SystemError.self) { try odd.open() }
        #expect(error?.description.contains("1 bits per pixel") == true)
    }

    /// full(4): "Writes to the /dev/full device fail with an ENOSPC error."
    @Test func aWriteThatFailsIsThrownWithItsReason() throws {
        let paper = try PaperFramebuffer(width: 8, height: 8, bits: 16, stride: 16)
        let full = try Framebuffer(path: "/dev/full", attributes: paper.attributes?.path ?? "")
        #expect(throws: SystemError(code: ENOSPC, operation: "write to", place: "/dev/full")) {
            try full.fill(full.area, .white)
        }
    }

    @Test(arguments: [(1, 1, true), (8192, 1, true), (1, 8192, true), (0, 1, false), (1, 0, false), (8193, 1, false)])
    func aPictureHasOneTo8192PixelsEitherWay(width: Int, height: Int, isTaken: Bool) throws {
        let paper = try PaperFramebuffer(width: width, height: height, bits: 16, stride: 2 * width)
        #expect((try? paper.open())?.area == (isTaken ? PixelArea(x: 0, y: 0, width: width, height: height) : nil))
    }

    @Test func aFramebufferIsFoundByTheKernelsNameForIt() throws {
        let paper = try PaperFramebuffer(width: 8, height: 8, bits: 16, stride: 16)
        let graphics = try ScratchFolder()
        let attributes = try #require(paper.attributes)
        #expect(symlink(attributes.path, "\(graphics.path)/fb0") == 0)
        for name in ["RPi-Sense FB", "fb0"] {
            let found = try Framebuffer(
                named: name, classFolder: graphics.path, deviceFolder: paper.folder.path)
            #expect(found.area == PixelArea(x: 0, y: 0, width: 8, height: 8))
        }
        let error = #expect(throws: SystemError.self) {
            try Framebuffer(named: "no such", classFolder: graphics.path, deviceFolder: paper.folder.path)
        }
        #expect(error?.description.contains("RPi-Sense FB") == true)
    }
}
