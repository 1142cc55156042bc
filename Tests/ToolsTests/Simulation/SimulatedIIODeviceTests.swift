// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Glibc
import Simulation
import SystemKit
import Testing

/// What the kernel shows in sysfs while a device is there, and when it is not
/// (Documentation/ABI/testing/sysfs-bus-iio).
@Suite struct SimulatedIIODeviceTests {
    private static func device(_ change: (inout SimulatedIIODevice.Model) -> Void) throws -> SimulatedIIODevice {
        var model = SimulatedIIODevice.Model(
            name: "imu", sensors: [.init(kind: "accel", scale: 0.01, signal: { _ in SIMD3(0, 0, 9.8) })])
        model.thermometer = .init(offset: -500, scale: 10) { _ in 25 }
        change(&model)
        return try SimulatedIIODevice(model)
    }

    @Test(arguments: [(true, false), (true, true), (false, false)])
    func aDeviceThatIsPulledOutLeavesNothingAndComesBack(hasBuffer: Bool, needsTrigger: Bool) throws {
        let device = try Self.device {
            $0.hasBuffer = hasBuffer
            $0.needsTrigger = needsTrigger
        }
        let trigger = needsTrigger ? ["trigger0"] : []
        func folders() -> [String] { FolderListing.readable(device.root.devices) }
        func files() -> [String] { FolderListing.readable(device.root.files) }
        for number in [0, 3, 0] {
            if number != 0 || folders().isEmpty { try device.plug(number: number) }
            #expect(folders() == ["iio:device\(number)"] + trigger && files() == ["iio:device\(number)"])
            #expect(device.attribute("name") == "imu")
            device.serve(at: at(1))
            device.unplug()
            device.serve(at: at(2))
            #expect(folders() == [] && files() == [] && device.attribute("name") == "")
        }
    }

    /// (raw + offset) · scale are thousandths of a degree: (3000 - 500) · 10 are 25 °C.
    @Test(arguments: [true, false]) func aBusyThermometerIsNotReadWhileTheBufferRuns(isBusy: Bool) throws {
        let device = try Self.device { $0.thermometer?.isBusy = isBusy }
        let folder = AttributeFolder(path: "\(device.root.devices)/iio:device0")
        for (second, (enable, raw)) in [("0", "3000"), ("1", isBusy ? "" : "3000"), ("0", "3000")].enumerated() {
            try folder.write("buffer/enable", enable)
            device.serve(at: at(Double(second)))
            #expect(device.attribute("in_temp_raw") == raw)
        }
    }

    /// Samples are taken while the buffer is on and the trigger, where there must be one, is chosen.
    @Test(arguments: [
        ("1", "", false, true), ("0", "", false, false), ("1", "", true, false), ("1", "imu-trigger", true, true),
        ("1", "other-trigger", true, false), ("0", "imu-trigger", true, false),
    ])
    func aBufferRunsWhereItIsEnabledAndTriggered(
        enable: String, trigger: String, needsTrigger: Bool, runs: Bool
    ) throws {
        let device = try Self.device { $0.needsTrigger = needsTrigger }
        let folder = AttributeFolder(path: "\(device.root.devices)/iio:device0")
        if needsTrigger { try folder.write("trigger/current_trigger", trigger) }
        try folder.write("buffer/enable", enable)
        device.serve(at: at(1))
        #expect(device.taken == 0, "the first is a period after the start")
        device.serve(at: at(2))
        #expect(device.taken == (runs ? 100 : 0) && device.dropped == 0, "no channel is on, and nothing is lost")
    }

    /// The kernel's industrialio-buffer.c: a buffer that is enabled again begins empty. Samples of one axis have two
    /// bytes.
    @Test func aBufferThatIsStartedAgainBeginsEmpty() throws {
        let device = try Self.device { _ in }
        let folder = AttributeFolder(path: "\(device.root.devices)/iio:device0")
        let file = open("\(device.root.files)/iio:device0", O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        try #require(file >= 0)
        defer { close(file) }
        func held() -> Int {
            var bytes = [UInt8](repeating: 0, count: 4096)
            return max(0, read(file, &bytes, bytes.count))
        }
        try folder.write("scan_elements/in_accel_x_en", "1")
        for (second, enable) in ["1", "0", "1"].enumerated() {
            try folder.write("buffer/enable", enable)
            device.serve(at: at(Double(second)))
            device.serve(at: at(Double(second) + 0.05))
        }
        #expect(device.taken == 10 && held() == 10)
        device.serve(at: at(2.07))
        #expect(held() == 4)
    }

    @Test(arguments: [(true, true), (true, false), (false, true)])
    func aThermometerIsInTheScansWhereThereAreScans(isScanned: Bool, hasBuffer: Bool) throws {
        let device = try Self.device {
            $0.thermometer?.isScanned = isScanned
            $0.hasBuffer = hasBuffer
        }
        let isThere = isScanned && hasBuffer
        #expect(device.attribute("scan_elements/in_temp_type") == (isThere ? "be:s16/16>>0" : ""))
        #expect(device.attribute("scan_elements/in_temp_index") == (isThere ? "3" : ""))
        #expect(device.attribute("in_temp_raw") == "3000")
    }
}
