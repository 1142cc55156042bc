// SPDX-License-Identifier: Apache-2.0
import CLinux
import SystemKit

/// A small framebuffer with pixels that serve as lights, such as the Sense HAT's 8 by 8 matrix, for
/// `FramebufferLED`. Any thread.
///
/// Its layout is what sysfs says (`bits_per_pixel`, `virtual_size`, `stride`); pixels are set by
/// writing to the device file, which every framebuffer driver takes, those that send the picture
/// on over I2C too.
package final class Framebuffer: Sendable {
    /// How a pixel lies in memory. sysfs tells only its size; these are what the drivers
    /// of such sizes use.
    enum Format: Sendable, Equatable {
        /// 16 bits: red 5, green 6, blue 5 from the top, low byte first.
        case rgb565
        /// 24 bits: blue, green, red.
        case bgr888
        /// 32 bits: blue, green, red, unused.
        case bgrx8888

        init?(bitsPerPixel: Int) {
            switch bitsPerPixel {
            case 16: self = .rgb565
            case 24: self = .bgr888
            case 32: self = .bgrx8888
            default: return nil
            }
        }

        func bytes(_ colour: LightColour) -> [UInt8] {
            switch self {
            case .rgb565:
                let value = UInt16(colour.red >> 3) << 11 | UInt16(colour.green >> 2) << 5 | UInt16(colour.blue >> 3)
                return [UInt8(truncatingIfNeeded: value), UInt8(value >> 8)]
            case .bgr888: return [colour.blue, colour.green, colour.red]
            case .bgrx8888: return [colour.blue, colour.green, colour.red, 0]
            }
        }
    }

    package let area: PixelArea
    private let device: Descriptor
    private let format: Format
    /// Bytes from one row to the next.
    private let stride: Int

    /// Opens the framebuffer of that name (`RPi-Sense FB`) or number (`fb1`). The folders are
    /// parameters for tests.
    package convenience init(
        named name: String, classFolder: String = "/sys/class/graphics", deviceFolder: String = "/dev"
    ) throws(SystemError) {
        let present = (0..<Self.mostDevices).map { "fb\($0)" }.filter { access("\(classFolder)/\($0)", F_OK) == 0 }
        let names = present.map { number in
            (number: number, name: (try? AttributeFolder(path: "\(classFolder)/\(number)").read("name")) ?? "")
        }
        guard let found = names.first(where: { $0.name == name || $0.number == name }) else {
            let there = names.map { "\($0.number) '\($0.name)'" }.joined(separator: ", ")
            let place = "a framebuffer named '\(name)'" + (there.isEmpty ? "" : " (there are: \(there))")
            throw SystemError(code: ENODEV, operation: "find", place: place)
        }
        try self.init(path: "\(deviceFolder)/\(found.number)", attributes: "\(classFolder)/\(found.number)")
    }

    /// Opens a framebuffer by its device file and its folder in sysfs. Throws EPROTO for a layout
    /// that is not known.
    package init(path: String, attributes: String) throws(SystemError) {
        let folder = AttributeFolder(path: attributes)
        let size = try folder.read("virtual_size").split(separator: ",").compactMap { Int($0) }
        let bits = Int(try folder.read("bits_per_pixel")) ?? 0
        guard let format = Format(bitsPerPixel: bits), size.count == 2,
            size.allSatisfy({ Self.sizes.contains($0) })
        else {
            throw SystemError(
                code: EPROTO, operation: "use \(bits) bits per pixel and the size \(size) of", place: attributes)
        }
        let row = size[0] * bits / 8
        let stride = (try? folder.read("stride")).flatMap { Int($0) } ?? 0
        self.format = format
        self.stride = max(row, min(stride, Self.longestStride))
        area = PixelArea(x: 0, y: 0, width: size[0], height: size[1])
        device = try Descriptor(opening: path, flags: O_WRONLY)
    }

    /// Gives all pixels of a rectangle one colour. Throws EINVAL when it does not lie
    /// within the picture.
    package func fill(_ part: PixelArea, _ colour: LightColour) throws(SystemError) {
        guard part.x + part.width <= area.width, part.y + part.height <= area.height else {
            throw SystemError(code: EINVAL, operation: "draw outside the picture of", place: device.path)
        }
        let pixel = format.bytes(colour)
        let row = Array(repeatElement(pixel, count: part.width).joined())
        for y in part.y..<part.y + part.height {
            guard File.write(row[...], to: device.rawValue, at: y * stride + part.x * pixel.count) else {
                throw SystemError.last("write to", device.path)
            }
        }
    }

    private static let mostDevices = 32
    private static let sizes = 1...8192
    private static let longestStride = 1 << 20
}
