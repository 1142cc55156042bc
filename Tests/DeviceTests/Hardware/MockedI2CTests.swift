// SPDX-License-Identifier: Apache-2.0
import Base
import CLinux
import Glibc
import SystemKit
import Testing

@testable import Device

/// The adapters of `Tests/mocks/mock_i2c.c`.
private struct Adapters {
    static func calls() throws -> [String] {
        let call = try MockedKernel.function(
            "mock_i2c_call", (@convention(c) (CUnsignedInt) -> UnsafePointer<CChar>?).self)
        return sequence(state: CUnsignedInt(0)) { index in
            defer { index += 1 }
            return call(index).map { String(cString: $0) }
        }.map { $0 }
    }

    static func reset() throws { try MockedKernel.function("mock_i2c_reset", (@convention(c) () -> Void).self)() }
    static func release() throws { try MockedKernel.function("mock_i2c_release", (@convention(c) () -> Void).self)() }
    static func plug(_ number: CInt, _ isPlugged: Bool) throws {
        try MockedKernel.function("mock_i2c_plug", (@convention(c) (CInt, CInt) -> Void).self)(
            number, isPlugged ? 1 : 0)
    }
    static func leave(_ number: CInt) throws {
        try MockedKernel.function("mock_i2c_leave", (@convention(c) (CInt) -> Void).self)(number)
    }
    static func number(_ function: String, _ bus: CInt) throws -> CUnsignedLong {
        try MockedKernel.function(function, (@convention(c) (CInt) -> CUnsignedLong).self)(bus)
    }
}

private func counting(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0) } }
private func falling(_ register: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(255 - register - $0) } }

/// Runs only below a mocked kernel; `MockedI2CTests` starts it.
@Suite(.serialized, .enabled(if: MockedKernel.isInside), .timeLimit(.minutes(10))) struct UnderMockedI2C {
    init() throws { try Adapters.reset() }

    @Test func plainI2CReadsAWholeFIFOInOneTransaction() throws {
        let bus = try LinuxI2CBus(number: 7)
        #expect(bus.longestRead == 8192)
        #expect(try bus.read(0x18, register: 0xA8, count: 192, pieces: .records(of: 6)) == counting(192))
        #expect(try Adapters.calls() == ["address 18 0", "write 18 1", "read 18 192"])
    }

    /// The adapter is not there at the start (a forgotten dtparam=i2c_arm=on) and comes later; the
    /// mock answers as the kernel does.
    @Test func anAdapterThatComesLaterIsOpenedWhenItIsLookedForOrAsked() throws {
        for isAsked in [false, true] {
            try Adapters.plug(7, false)
            let bus = try LinuxI2CBus(awaiting: "/dev/i2c-7", at: .zero)
            #expect(bus.fault?.description.contains("/dev/i2c-7") == true && bus.absences == 1)
            #expect(throws: I2CError.busVanished) { try bus.read(0x18, register: 0xA8, count: 192, pieces: .whole) }
            #expect(bus.due == MonotonicTime(nanoseconds: 1_000_000_000))
            try Adapters.plug(7, true)
            #expect(!bus.poll(at: .zero) && bus.fault != nil)
            if isAsked {
                // umockdev knows a device by the number under which it was opened, and not under
                // the one that dup3 gave it.
                _ = try? bus.read(0x18, register: 0xA8, count: 192, pieces: .records(of: 6))
            } else {
                #expect(bus.poll(at: MonotonicTime(nanoseconds: 1_000_000_000)))
            }
            #expect(bus.fault == nil && bus.due == nil && bus.longestRead == 8192 && bus.absences == 1)
            let other = try LinuxI2CBus(awaiting: "/dev/i2c-7", at: .zero)
            #expect(other.fault == nil && other.due == nil && other.longestRead == 8192 && other.absences == 0)
        }
    }

    @Test func smbusBlocksReadTheSameFIFOInPiecesOfWholeRecords() throws {
        let bus = try LinuxI2CBus(number: 8)
        #expect(bus.longestRead == 32)
        #expect(try bus.read(0x18, register: 0xA8, count: 192, pieces: .records(of: 6)) == counting(192))
        let reads = try Adapters.calls().filter { $0.hasPrefix("smbus-read") }
        #expect(reads == [Int](repeating: 30, count: 6).map { "smbus-read 18 \($0)" } + ["smbus-read 18 12"])
    }

    @Test(
        arguments: [(7, ["read 68 84"]), (8, ["smbus-read 68 32", "smbus-read 68 32", "smbus-read 68 20"])]
            as [(Int, [String])]) func aFIFOPortIsReadAtTheSameRegisterAgain(_ number: Int, _ reads: [String]) throws
    {
        let bus = try LinuxI2CBus(number: number)
        #expect(try bus.read(0x68, register: 0x74, count: 84, pieces: .port) == counting(84))
        #expect(try Adapters.calls().filter { $0.contains("read") } == reads)
    }

    @Test func withoutBlocksTheSameRegistersComeByWordsAndBytes() throws {
        let bus = try LinuxI2CBus(number: 9)
        #expect(bus.longestRead == 2)
        #expect(try bus.read(0x68, register: 0x74, count: 5, pieces: .port) == counting(5))
        #expect(try bus.read(0x1E, register: 0x20, count: 5, pieces: .registers) == falling(0x20, 5))
        let reads = try Adapters.calls().filter { $0.hasPrefix("smbus-read 1e") }
        #expect(reads == ["smbus-read 1e 2", "smbus-read 1e 2", "smbus-read 1e 1"])
    }

    @Test func whatMustNotBeCutIsRefusedWithTheAdaptersLimit() throws {
        for (number, pieces) in [(9, I2CPieces.records(of: 6)), (8, .whole)] {
            let bus = try LinuxI2CBus(number: number)
            let error = #expect(throws: I2CError.self) {
                try bus.read(0x18, register: 0xA8, count: 36, pieces: pieces)
            }
            #expect(error == .unsupported("36 bytes at once; the adapter moves \(bus.longestRead)"))
        }
    }

    @Test(arguments: [7, 8, 9]) func registersAreWrittenAndSeveralReadsJoinedOnEveryAdapter(_ number: Int) throws {
        let bus = try LinuxI2CBus(number: number)
        try bus.write(0x1E, register: 0x30, 0xAB)
        _ = try bus.transaction(0x1E, [.write([0x31, 0xCD, 0xEF])])
        let bytes = try bus.transaction(
            0x1E, [.write([0x30]), .read(2), .write([0x32]), .read(1), .write([0x33, 0x01])])
        #expect(bytes == [0xAB, 0xCD, 0xEF])
        #expect(try bus.read(0x1E, register: 0x33, count: 1) == [0x01])
        #expect(try bus.transaction(0x1E, [.write([0x32])]) == [])
        #expect(try bus.transaction(0x1E, [.read(1)]) == [0xEF])
    }

    @Test(arguments: [7, 8, 9]) func eachFaultOfTheBusIsAnErrorOfItsOwn(_ number: Int) throws {
        let bus = try LinuxI2CBus(number: number)
        let faults: [(UInt8, I2CError)] = [
            (0x50, .noAcknowledge(address: 0x50)), (0x51, .noAcknowledge(address: 0x51)),
            (0x52, .arbitrationLost(address: 0x52)), (0x54, .timeout(address: 0x54)),
            (0x55, .system(errno: EIO, address: 0x55)), (0x57, .noAcknowledge(address: 0x57)),
        ]
        for (address, expected) in faults {
            let error = #expect(throws: I2CError.self) { try bus.read(address, register: 0, count: 1) }
            #expect(error == expected)
        }
        #expect(try bus.read(0x1E, register: 0x20, count: 2) == falling(0x20, 2))
    }

    @Test func anAddressThatADriverOwnsIsNeverTouched() throws {
        let bus = try LinuxI2CBus(number: 7)
        let error = #expect(throws: I2CError.self) { try bus.read(0x56, register: 0, count: 1) }
        #expect(error == .system(errno: EBUSY, address: 0x56))
        #expect(try Adapters.calls() == ["address 56 0"])
    }

    @Test(arguments: [7, 8] as [CInt]) func anAdapterThatIsPulledOutAndPutBackWorksAgain(_ number: CInt) throws {
        let bus = try LinuxI2CBus(path: "/dev/i2c-\(number)")
        #expect(try bus.read(0x1E, register: 0x20, count: 2) == falling(0x20, 2))
        let device = try #require(link("/dev/i2c-\(number)"))
        #expect(try openFiles().contains(device))
        try Adapters.plug(number, false)
        for _ in 0..<3 {
            let error = #expect(throws: I2CError.self) { try bus.read(0x1E, register: 0x20, count: 2) }
            #expect(error == .busVanished)
        }
        #expect(try !openFiles().contains(device), "the kernel waits for this before it lets the adapter go")
        try Adapters.plug(number, true)
        #expect(try bus.read(0x1E, register: 0x20, count: 2) == falling(0x20, 2))
        #expect(try openFiles().contains(device))
    }

    /// Between the pulling of a USB cable and the going of its device file i2c-tiny-usb says that
    /// it can do nothing; seen with Linux 6.12 on the virtual board, where the file was then never
    /// closed, so that the kernel let no adapter come back.
    @Test(arguments: [7, 8] as [CInt]) func anAdapterThatIsLeavingIsGoneAlready(_ number: CInt) throws {
        let bus = try LinuxI2CBus(path: "/dev/i2c-\(number)")
        #expect(try bus.read(0x1E, register: 0x20, count: 2) == falling(0x20, 2))
        let device = try #require(link("/dev/i2c-\(number)"))
        try Adapters.leave(number)
        for _ in 0..<3 {
            #expect(throws: I2CError.busVanished) { try bus.read(0x1E, register: 0x20, count: 2) }
            #expect(try !openFiles().contains(device), "the kernel waits for this before it lets the adapter go")
        }
        try Adapters.plug(number, false)
        #expect(throws: I2CError.busVanished) { try bus.read(0x1E, register: 0x20, count: 2) }
        try Adapters.plug(number, true)
        #expect(try bus.read(0x1E, register: 0x20, count: 2) == falling(0x20, 2))
    }

    @Test(arguments: [7, 8]) func theWayOfSamplesBringsTheSameBytesAndErrors(_ number: Int) throws {
        let bus = try LinuxI2CBus(number: number)
        var bytes = [UInt8](repeating: 0, count: 192)
        try bytes.withUnsafeMutableBytes { try bus.read(0x18, register: 0xA8, into: $0, pieces: .records(of: 6)) }
        #expect(bytes == counting(192))
        for (address, expected) in [
            (0x50, .noAcknowledge(address: 0x50)), (0x52, .arbitrationLost(address: 0x52)),
            (0x56, .system(errno: EBUSY, address: 0x56)), (0x57, .noAcknowledge(address: 0x57)),
        ] as [(UInt8, I2CError)] {
            let error = #expect(throws: I2CError.self) {
                try bytes.withUnsafeMutableBytes { try bus.read(address, register: 0, into: $0, pieces: .port) }
            }
            #expect(error == expected)
        }
        #expect(bytes == counting(192))
    }

    @Test(arguments: [7, 8] as [CInt]) func theWayOfSamplesGoesOnWhenAnAdapterIsBack(_ number: CInt) throws {
        let bus = try LinuxI2CBus(path: "/dev/i2c-\(number)")
        var bytes = [UInt8](repeating: 0, count: 2)
        try Adapters.plug(number, false)
        for _ in 0..<2 {
            let error = #expect(throws: I2CError.self) {
                try bytes.withUnsafeMutableBytes { try bus.read(0x1E, register: 0x20, into: $0) }
            }
            #expect(error == .busVanished)
        }
        #expect(throws: I2CError.busVanished) { try bus.write(0x1E, register: 0x20, 1) }
        try Adapters.plug(number, true)
        try bytes.withUnsafeMutableBytes { try bus.read(0x1E, register: 0x20, into: $0) }
        #expect(bytes == falling(0x20, 2))
    }

    @Test func whatADriverOwnsIsToldWithoutTouchingIt() throws {
        let bus = try LinuxI2CBus(number: 7)
        #expect(bus.isTakenByKernel(0x56) && !bus.isTakenByKernel(0x1E))
        #expect(try Adapters.calls() == ["address 56 0", "address 1e 0"])
    }

    /// drivers/i2c/i2c-dev.c: I2C_RDWR refuses a message of more than 8192 bytes and more than
    /// I2C_RDWR_IOCTL_MAX_MSGS (42) of them.
    @Test func whatIsBeyondTheKernelsLimitsIsNotAskedOfIt() throws {
        let bus = try LinuxI2CBus(number: 7)
        var bytes = [UInt8](repeating: 0, count: 8192)
        try bytes.withUnsafeMutableBytes { try bus.read(0x1E, register: 0x20, into: $0) }
        #expect(bytes.first == 0xDF && bytes.last == 0xE0)
        #expect(try bus.transaction(0x1E, [.write([0x20]), .read(8192)]) == bytes)
        #expect(try bus.transaction(0x1E, [I2COperation](repeating: .read(1), count: 42)).count == 42)
        bytes.append(0)
        let refusals = [
            #expect(throws: I2CError.self) {
                try bytes.withUnsafeMutableBytes { try bus.read(0x1E, register: 0x20, into: $0) }
            }, #expect(throws: I2CError.self) { try bus.transaction(0x1E, [.write([0x20]), .read(8193)]) },
            #expect(throws: I2CError.self) {
                try bus.transaction(0x1E, [.write([UInt8](repeating: 0x20, count: 8193))])
            },
            #expect(throws: I2CError.self) {
                try bus.transaction(0x1E, [I2COperation](repeating: .read(1), count: 43))
            },
        ]
        let reason = I2CError.unsupported("a transfer of more than 42 parts or 8192 bytes a part")
        #expect(refusals == [reason, reason, reason, reason])
        #expect(try !Adapters.calls().contains { $0.hasSuffix(" 8193") })
    }

    @Test func timeoutAndRetriesAreSetInTheKernelsUnits() throws {
        _ = try LinuxI2CBus(path: "/dev/i2c-7", timeout: .milliseconds(200))
        #expect(try Adapters.number("mock_i2c_timeout", 7) == 20)
        #expect(try Adapters.number("mock_i2c_retries", 7) == 1)
    }

    @Test func aBusThatHangsDoesNotStopAnother() throws {
        let done = try Collected<I2CError?>()
        let stuck = try LinuxI2CBus(number: 7)
        let thread = try NamedThread(name: "stuck", priority: nil) {
            do throws(I2CError) { _ = try stuck.read(0x53, register: 0, count: 1) } catch { done.add(error) }
        }
        let other = try LinuxI2CBus(number: 8)
        for _ in 0..<100 { #expect(try other.read(0x1E, register: 0x20, count: 2) == falling(0x20, 2)) }
        #expect(done.all.isEmpty)
        try Adapters.release()
        #expect(done.wait(for: 1) == [.timeout(address: 0x53)])
        thread.join()
    }

    /// What the descriptors of this process lead to.
    private func openFiles() throws -> [String] {
        let folder = try #require(opendir("/proc/self/fd"))
        defer { closedir(folder) }
        var files: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name.0) { String(cString: $0) }
            if let file = link("/proc/self/fd/\(name)") { files.append(file) }
        }
        return files
    }

    private func link(_ path: String) -> String? {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink(path, &buffer, buffer.count)
        return count < 0 ? nil : String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

@Suite(.timeLimit(.minutes(10))) struct MockedI2CTests {
    @Test(.enabled(if: !MockedKernel.isInside && MockedKernel.i2c.isAvailable))
    func theBusIsRightAboutTheKernelsOwnCalls() throws {
        let (status, output) = try MockedKernel.i2c.run(suite: "UnderMockedI2C")
        #expect(status == 0, "\(output)")
        #expect(output.contains("Test run with 17 tests"), "\(output)")
    }
}
