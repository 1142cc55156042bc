// SPDX-License-Identifier: Apache-2.0
import Device
import Glibc
import SystemKit
import Testing

@Suite struct IIODeviceTests {
    /// A folder of a device as the tree of devices has it, and the link to it that IIO shows.
    private func link(_ path: String) throws -> (IIODevice?, cleanUp: () -> Void) {
        var template = Array("/tmp/hardware-tests-XXXXXX".utf8CString)
        _ = try #require(mkdtemp(&template))
        let root = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        var folders = ["\(root)/iio"]
        for part in path.split(separator: "/") {
            folders.append((folders.count == 1 ? root : folders[folders.count - 1]) + "/\(part)")
        }
        for folder in folders { mkdir(folder, 0o700) }
        let real = folders[folders.count - 1]
        try Descriptor(opening: "\(real)/name", flags: O_WRONLY | O_CREAT).write(Array("lis3dh\n".utf8))
        symlink(real, "\(root)/iio/iio:device0")
        return (
            IIODevice.all(in: IIODevice.Root(devices: "\(root)/iio", files: root)).first,
            {
                unlink("\(real)/name")
                unlink("\(root)/iio/iio:device0")
                for folder in folders.reversed() { rmdir(folder) }
                rmdir(root)
            }
        )
    }

    @Test(
        arguments: [
            ("devices/platform/soc/fe804000.i2c/i2c-1/1-0018/iio:device0", "i2c-1", 0x18),
            ("devices/pci0000:00/i2c-12/12-006a/iio:device0", "i2c-12", 0x6A),
        ] as [(String, String, UInt8)])
    func theChipsAddressIsInItsPath(_ path: String, _ bus: String, _ address: UInt8) throws {
        let (device, cleanUp) = try link(path)
        defer { cleanUp() }
        #expect(device?.i2cPlace?.bus == bus && device?.i2cPlace?.address == address)
    }

    @Test func aChipOnAnotherBusHasNoAddress() throws {
        let (device, cleanUp) = try link("devices/platform/soc/spi0.0/iio:device0")
        defer { cleanUp() }
        #expect(device?.name == "lis3dh" && device?.i2cPlace == nil)
    }
}
