// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import Simulation
import SystemKit
import Testing

@testable import Device

private let gravity: Signal = { _ in SIMD3(0, 0, 9.80665) }

private func accelerometer(_ change: (inout SimulatedIIODevice.Model) -> Void = { _ in }) throws -> SimulatedIIODevice {
    let ramp: Signal = { SIMD3(Double($0.nanoseconds) / 1e9, 0, 9.80665) }
    var model = SimulatedIIODevice.Model(
        name: "lis3dh", sensors: [.init(kind: "accel", scale: 0.00980665, signal: ramp)])
    change(&model)
    return try SimulatedIIODevice(model)
}

/// The real reader on the simulated kernel, in steps of virtual time.
private final class KernelRig {
    let device: SimulatedIIODevice
    let reader: IIOReader
    let sensor: IIOSensor
    let ring = FrameRing(capacity: 1 << 14, repeating: VectorFrame(values: .zero, count: 3))
    var frames: [VectorFrame] = []
    private(set) var serves = 0
    private var now = MonotonicTime.zero

    init(_ device: SimulatedIIODevice, settings: ChipSettings = ChipSettings(), measures: Set<MeasureKind>? = nil)
        throws
    {
        self.device = device
        sensor = try IIOSensor("lis3dh", settings: settings, measures: measures, root: device.root)
        reader = IIOReader(sensor: sensor, ring: ring, start: .zero)
    }

    func run(until end: MonotonicTime) {
        while min(reader.due, device.due) < end {
            now = max(now, min(reader.due, device.due))
            device.serve(at: now)
            if reader.due <= now {
                reader.serve(at: now + .microseconds(100))
                serves += 1
            }
            while let frame = ring.pop() { frames.append(frame) }
        }
    }

    /// Only the kernel goes on.
    func stall(until end: MonotonicTime) {
        device.serve(at: end)
        now = end
    }

    var lostInFrames: Int { frames.reduce(0) { $0 + Int($1.lostBefore) } }
}

@Suite struct IIOReaderTests {
    @Test(arguments: ["le:s16/16>>0", "be:s16/16>>0", "le:s12/16>>4", "le:s24/32>>8", "be:s32/32>>0"])
    func everySampleHasTheKernelsOwnTime(_ type: String) throws {
        let rig = try KernelRig(accelerometer { $0.type = type })
        rig.run(until: at(10))
        #expect(abs(rig.frames.count - 1000) <= 21 && rig.reader.counters.lost == 0 && rig.reader.counters.errors == 0)
        for (one, next) in zip(rig.frames, rig.frames.dropFirst()) {
            #expect(next.isStamped && next.time - one.time == .milliseconds(10))
        }
        let channels = rig.sensor.source.channels
        for frame in rig.frames {
            #expect(abs(channels[0].value(frame.values[0]) * 9.80665 - frame.time.seconds) < 0.006)
            #expect(channels[2].value(frame.values[2]) == 1)
        }
        #expect(rig.device.attribute("current_timestamp_clock") == "monotonic")
        #expect(rig.device.attribute("buffer/watermark") == "20")
    }

    @Test func wakeUpsAreOnePerWatermark() throws {
        let rig = try KernelRig(accelerometer { $0.rateError = 0.03 })
        rig.run(until: at(60))
        #expect(rig.serves <= 60 * 103 / 20 + 20)
    }

    @Test func rateAndRangeAreSetToWhatTheDriverHas() throws {
        let rig = try KernelRig(accelerometer(), settings: ChipSettings(rate: 400, range: 60))
        rig.run(until: at(1))
        #expect(rig.device.attribute("sampling_frequency") == "400")
        #expect(rig.device.attribute("in_accel_scale") == "0.0196133" && rig.sensor.source.channels[0].scale == 0.002)
        #expect(abs(rig.frames.count - 400) <= 41 && rig.sensor.source.nominalRate == 400)
        let root = rig.device.root
        let rate = #expect(throws: SettingError.self) {
            try IIOSensor("lis3dh", settings: ChipSettings(rate: 77), root: root)
        }
        #expect(rate?.description == "lis3dh has no rate 77; possible: 10, 50, 100, 400")
        #expect(throws: SettingError.self) {
            try IIOSensor("lis3dh", settings: ChipSettings(range: 99_999), root: root)
        }
        let field = #expect(throws: IIOSensor.NotMeasured.self) {
            try IIOSensor("lis3dh", measures: [.magnetometer], root: root)
        }
        #expect(field?.description.hasPrefix("lis3dh has no channels that measure magnetometer; possible: ") == true)
    }

    /// A thousandth of a g a count: the range goes as far as the numbers of the scan, whose sign is one of their bits.
    @Test(arguments: [
        ("le:s16/16>>0", 32.768), ("le:s12/16>>4", 2.048), ("be:s24/32>>8", 8388.608), ("le:s8/8>>0", 0.128),
    ]) func theFullScaleIsThatOfTheScan(type: String, range: Double) throws {
        let device = try accelerometer { $0.type = type }
        let source = try IIOSensor("lis3dh", root: device.root).source
        #expect(
            abs(source.fullScale / range - 1) < 1e-9 && source.channels.allSatisfy { abs($0.scale - 0.001) < 1e-12 })
    }

    /// What a driver's file says is outside input: no rate of it ends the program.
    @Test(arguments: ["0", "-1", "1e-300", "1e300", "inf", "nan", "", "fast"]) func aRateThatNoDeviceHasIsRefused(
        _ rate: String
    ) throws {
        let device = try accelerometer()
        let file = "\(device.root.devices)/iio:device0/sampling_frequency"
        try rate.write(toFile: file, atomically: false, encoding: .utf8)
        #expect(throws: SettingError.self) { try IIOSensor("lis3dh", root: device.root) }
    }

    @Test func gyroscopeComesBeforeAccelerometerWhateverTheScansOrder() throws {
        let device = try accelerometer {
            $0.sensors = [
                .init(kind: "accel", scale: 0.001, signal: gravity),
                .init(kind: "anglvel", scale: 0.001, signal: { _ in SIMD3(Double.pi / 180 * 100, 0, 0) }),
                .init(kind: "magn", scale: 0.001, signal: { _ in SIMD3(0.2, 0, 0.4) }),
            ]
        }
        let rig = try KernelRig(device)
        rig.run(until: at(2))
        #expect(rig.sensor.kinds == [.gyroscope, .accelerometer] && rig.sensor.source.kind == .accelerometer)
        #expect(
            rig.sensor.source.channels.map(\.name) == ["gyro_x", "gyro_y", "gyro_z", "accel_x", "accel_y", "accel_z"])
        let frame = try #require(rig.frames.last)
        let values = rig.sensor.source.channels.enumerated().map { $0.element.value(frame.values[$0.offset]) }
        #expect(abs(values[0] - 100) < 0.06 && abs(values[5] - 1) < 0.0001)
        #expect(device.attribute("scan_elements/in_magn_x_en") == "0")
        let field = try IIOSensor("lis3dh", measures: [.magnetometer], root: device.root)
        #expect(field.source.channels.map(\.unit) == [.microtesla, .microtesla, .microtesla])
        #expect(field.source.channels.allSatisfy { abs($0.scale - 0.1) < 1e-12 })
    }

    @Test func whatTheKernelDropsIsCountedToTheSample() throws {
        let rig = try KernelRig(accelerometer())
        rig.run(until: at(5))
        rig.stall(until: at(25))
        rig.run(until: at(30))
        #expect(rig.device.dropped > 500)
        #expect(rig.reader.counters.lost(.chipOverrun) == rig.device.dropped && rig.lostInFrames == rig.device.dropped)
        #expect(abs(rig.frames.count + rig.lostInFrames - rig.device.taken) <= 21)
        #expect(rig.frames.filter { $0.lostBefore > 0 }.map(\.reason) == [LossReason.chipOverrun.rawValue])
    }

    @Test func aDeviceThatComesBackUnderAnotherNumberIsFoundByItsName() throws {
        let rig = try KernelRig(accelerometer())
        rig.run(until: at(5))
        rig.device.unplug()
        rig.run(until: at(9))
        let fault = try #require(rig.reader.counters.trouble?.fault)
        #expect(fault.description.hasPrefix("iio lis3dh: lis3dh: find IIO device lis3dh in"), "\(fault)")
        try rig.device.plug(number: 7)
        rig.run(until: at(30))
        #expect(rig.reader.counters.trouble == nil && rig.reader.counters.setUps == 2)
        let gaps = rig.frames.filter { $0.lostBefore > 0 }
        #expect(gaps.count == 1 && gaps.first?.reason == LossReason.deviceError.rawValue)
        #expect(abs(rig.frames.count + rig.lostInFrames - 3000) <= 21)
    }

    /// A driver without a buffer: one sample per read, with the time of the read, and what
    /// was missed counted.
    @Test func aDeviceWithoutABufferIsReadSampleBySample() throws {
        let device = try accelerometer {
            $0.hasBuffer = false
            $0.sensors = [.init(kind: "magn", scale: 0.0015, signal: { _ in SIMD3(0.18, -0.05, 0.42) })]
        }
        let rig = try KernelRig(device)
        rig.run(until: at(20))
        #expect(rig.sensor.watermark == 1 && rig.sensor.source.nominalRate == 10)
        #expect(abs(rig.frames.count - 200) <= 2 && rig.reader.counters.lost == 0)
        #expect(rig.frames.allSatisfy { $0.isStamped && $0.lateBy == 100_000 })
        let plausible = Plausibility.check(rig.frames, of: rig.sensor.source)
        #expect(plausible.count == 1 && plausible[0].isPlausible)
        rig.stall(until: at(25))
        rig.run(until: at(30))
        device.unplug()
        rig.run(until: at(33))
        #expect(rig.reader.counters.trouble?.fault.description.contains("find IIO device") == true)
        try device.plug(number: 2)
        rig.run(until: at(50))
        let gaps = rig.frames.filter { $0.lostBefore > 0 }
        #expect(gaps.map(\.reason) == [LossReason.chipOverrun.rawValue, LossReason.deviceError.rawValue])
        #expect(abs(rig.frames.count + rig.lostInFrames - 500) <= 3 && rig.reader.counters.trouble == nil)
    }

    /// The kernel's adxl345 has a buffer only where its interrupt line is wired, and numbers of 13 bits: these
    /// are its scales for 2 to 16 g. Of 16 bits the first would hold 16 g.
    @Test func withoutABufferThereIsNoRangeToChoose() throws {
        let device = try accelerometer {
            $0.hasBuffer = false
            $0.sensors = [.init(kind: "accel", scale: 0.004789, signal: gravity)]
        }
        let fault = #expect(throws: SettingError.self) {
            try IIOSensor("lis3dh", settings: ChipSettings(range: 16), root: device.root)
        }
        #expect(fault?.description == "lis3dh has no range 16; possible: only the one its driver sets")
        #expect(try IIOSensor("lis3dh", root: device.root).source.channels.count == 3)
    }

    @Test func aTriggerOfItsOwnIsChosen() throws {
        let rig = try KernelRig(accelerometer { $0.needsTrigger = true })
        rig.run(until: at(2))
        #expect(rig.device.attribute("trigger/current_trigger") == "lis3dh-trigger" && rig.frames.count > 150)
    }

    /// Times of a clock that cannot be chosen are not believed: the newest sample of a batch has
    /// the time of the read.
    @Test func withoutTheRightClockTheReadIsTheTime() throws {
        let rig = try KernelRig(accelerometer { $0.hasClockChoice = false })
        rig.run(until: at(5))
        #expect(
            rig.frames.enumerated().allSatisfy { $0.element.isStamped == ($0.offset % 20 == 19) }
                || rig.frames.contains { !$0.isStamped })
        #expect(rig.frames.filter(\.isStamped).allSatisfy { $0.time < at(6) } && rig.frames.count > 450)
        // What was read without a time may be a whole period old.
        #expect(rig.frames.filter(\.isStamped).allSatisfy { $0.lateBy == 10_000 })
    }

    /// Only a long silence shows that something is missing, and about how much.
    @Test func whatTheKernelDropsIsCountedWithoutTimesToo() throws {
        let rig = try KernelRig(accelerometer { $0.hasClockChoice = false })
        rig.run(until: at(5))
        rig.stall(until: at(25))
        rig.run(until: at(30))
        #expect(rig.device.dropped > 500 && abs(rig.lostInFrames - rig.device.dropped) <= 40)
        #expect(rig.frames.filter { $0.lostBefore > 0 }.map(\.reason) == [LossReason.chipOverrun.rawValue])
    }

    /// A device that is away for the second time is asked as often as for the first.
    @Test(arguments: [true, false]) func eachTroubleBeginsWithTheShortestPause(_ hasBuffer: Bool) throws {
        let device = try accelerometer {
            $0.hasBuffer = hasBuffer
            if !hasBuffer {
                $0.sensors = [.init(kind: "magn", scale: 0.0015, signal: { _ in SIMD3(0.18, -0.05, 0.42) })]
            }
        }
        let rig = try KernelRig(device)
        var errors: [Int] = []
        for (number, start) in [5.0, 25].enumerated() {
            rig.run(until: at(start))
            let before = rig.reader.counters.errors
            device.unplug()
            rig.run(until: at(start + 4))
            errors.append(rig.reader.counters.errors - before)
            try device.plug(number: number + 1)
        }
        #expect(errors[0] > 10 && abs(errors[1] - errors[0]) <= 1, "\(errors)")
    }

    @Test func aSilentDeviceIsNamedAndRestarted() throws {
        let rig = try KernelRig(accelerometer())
        rig.run(until: at(3))
        // The buffer is stopped behind the reader's back.
        try AttributeFolder(path: "\(rig.device.root.devices)/iio:device0").write("buffer/enable", "0")
        rig.run(until: at(20))
        #expect(
            rig.reader.counters.setUps == 2 && rig.reader.counters.errors == 1 && rig.reader.counters.trouble == nil)
        #expect(abs(rig.frames.count + rig.lostInFrames - 2000) <= 21)
    }

    @Test func theBufferStopsWithItsReader() throws {
        let device = try accelerometer()
        do {
            let rig = try KernelRig(device)
            rig.run(until: at(1))
            #expect(device.attribute("buffer/enable") == "1")
        }
        #expect(device.attribute("buffer/enable") == "0")
    }

    /// `enable_store` of the kernel's industrialio-buffer.c asks for no owner; only the device file
    /// has one, and open(2) of it says EBUSY. Here it cannot be opened because it is not there.
    @Test func aBufferThatCannotBeHadIsLeftAsItIs() throws {
        let device = try accelerometer()
        let folder = AttributeFolder(path: "\(device.root.devices)/iio:device0")
        try folder.write("buffer/enable", "1")
        unlink("\(device.root.files)/iio:device0")
        let found = try IIODevice.find("lis3dh", in: device.root)
        let error = #expect(throws: SystemError.self) {
            try IIOBuffer(
                found,
                .init(
                    channels: ["accel_x"], attributes: [.init(name: "sampling_frequency", value: "400")],
                    watermark: 4, length: 8))
        }
        #expect(error?.operation == "open" && error?.code == ENOENT)
        let left = [
            "buffer/enable", "buffer/length", "scan_elements/in_accel_x_en", "sampling_frequency",
            "current_timestamp_clock",
        ].map(device.attribute)
        #expect(left == ["1", "2", "0", "100.0", "realtime"])
    }

    /// One axis of eight bits, and no time beside it.
    @Test func aScanMayBeASingleByteAndTheEndOfTheFileIsNone() throws {
        let device = try accelerometer {
            $0.type = "le:s8/8>>0"
            $0.hasClockChoice = false
        }
        let buffer = try IIOBuffer(
            try IIODevice.find("lis3dh", in: device.root), .init(channels: ["accel_z"], watermark: 1, length: 8))
        #expect(buffer.layout.size == 1)
        var scans: [UInt8] = []
        func read() throws -> Int { try buffer.read { scans += $0 } }
        device.serve(at: at(0))
        #expect(try read() == 0)
        for number in 1...3 {
            device.serve(at: device.due)
            #expect(try read() == 1 && scans.count == number)
        }
        // 1000 counts are beyond what eight bits hold.
        #expect(scans == [127, 127, 127])
        device.unplug()
        let error = #expect(throws: SystemError.self) { try read() }
        #expect(error?.code == ENODEV && scans.count == 3)
    }

    /// Drivers sleep until a chip is on (st_accel) or drop its first samples (st_lsm6dsx).
    @Test func whatAChipTakesToStartIsTheBeginningAndNoLoss() throws {
        let rig = try KernelRig(accelerometer { $0.startUp = .milliseconds(150) })
        rig.run(until: at(5))
        #expect(rig.reader.counters.lost == 0 && rig.lostInFrames == 0)
        #expect(rig.frames.first.map { $0.time < at(1) } == true)
        rig.device.unplug()
        rig.run(until: at(9))
        try rig.device.plug(number: 7)
        rig.run(until: at(20))
        #expect(rig.frames.filter { $0.lostBefore > 0 }.map(\.reason) == [LossReason.deviceError.rawValue])
        #expect(abs(rig.frames.count + rig.lostInFrames - 1985) <= 21)
    }

    /// It was to be read from the start on, so all until its first sample is missing.
    @Test(arguments: [true, false]) func aDeviceThatIsNotThereAtTheStartIsMissedFromThere(_ hasBuffer: Bool) throws {
        let device = try accelerometer {
            $0.hasBuffer = hasBuffer
            if !hasBuffer {
                $0.sensors = [.init(kind: "magn", scale: 0.0015, signal: { _ in SIMD3(0.18, -0.05, 0.42) })]
            }
        }
        let rig = try KernelRig(device)
        device.unplug()
        rig.run(until: at(4))
        try device.plug(number: 1)
        rig.run(until: at(20))
        let due = 20 * rig.sensor.source.nominalRate
        #expect(rig.frames.first.map(\.reason) == LossReason.deviceError.rawValue)
        #expect(abs(Double(rig.frames.count + rig.lostInFrames) - due) <= 21)
    }

    /// The kernel's Documentation/ABI/testing/sysfs-bus-iio: (raw + offset) * scale, or
    /// `in_temp_input`, is thousandths of a degree Celsius. The numbers are those of drivers:
    /// inv_mpu6050 (scale 2.941176, offset 12420, an element of the scans, else refused while the
    /// buffer runs), adxl355 (-110.497238 and -2111.25), and a driver without a scale.
    @Test(
        arguments: [
            (12_420.0, 2.941176, true, false, false), (12_420, 2.941176, false, true, false),
            (-2_111.25, -110.497238, false, false, false), (0, 1, false, false, true),
        ] as [(Double, Double, Bool, Bool, Bool)])
    func theChipsTemperatureComesWithTheSamples(
        _ offset: Double, _ scale: Double, _ isScanned: Bool, _ isBusy: Bool, _ isProcessed: Bool
    ) throws {
        let rig = try KernelRig(
            accelerometer {
                $0.thermometer = .init(offset: offset, scale: scale) { 20 + Double($0.nanoseconds) / 60e9 }
                $0.thermometer?.isScanned = isScanned
                $0.thermometer?.isBusy = isBusy
                $0.thermometer?.isProcessed = isProcessed
            })
        #expect(rig.sensor.source.temperature == .chip && rig.sensor.source.channels.count == 3)
        rig.run(until: at(65))
        let told = rig.frames.filter { $0.temperature != nil }
        // One before the buffer runs is all that a driver gives which refuses then.
        #expect(told.count == (isBusy ? 1 : 2), "\(told.map(\.temperature))")
        for frame in told {
            #expect(abs((frame.temperature ?? 0) - 20 - frame.time.seconds / 60) < 0.5 + abs(scale) / 1000)
        }
        #expect(rig.frames.first?.temperature != nil && rig.reader.counters.lost == 0)
        let last = try #require(rig.frames.last)
        #expect(abs(rig.sensor.source.channels[0].value(last.values[0]) * 9.80665 - last.time.seconds) < 0.006)
    }

    /// bmc150-accel-core.c: scale 0.5 and offset 23, which is neither thousandths nor degrees. Such
    /// a number is not written.
    @Test func aThermometerThatBreaksTheRulesIsNone() throws {
        let rig = try KernelRig(accelerometer { $0.thermometer = .init(offset: 23, scale: 0.5) { _ in 0.0135 } })
        rig.run(until: at(70))
        #expect(rig.sensor.source.temperature == .none && rig.frames.allSatisfy { $0.temperature == nil })
    }

    @Test func aDriverWithoutABufferHasAThermometerToo() throws {
        let device = try accelerometer {
            $0.hasBuffer = false
            $0.sensors = [.init(kind: "magn", scale: 0.0015, signal: { _ in SIMD3(0.18, -0.05, 0.42) })]
            $0.thermometer = .init(offset: 0, scale: 500) { _ in 31.5 }
        }
        let rig = try KernelRig(device)
        rig.run(until: at(70))
        #expect(rig.frames.compactMap(\.temperature) == [31.5, 31.5])
    }

    /// A folder in the place of its file cannot be read.
    @Test func aThermometerThatFailsIsAskedAMinuteLater() throws {
        let device = try accelerometer {
            $0.hasBuffer = false
            $0.sensors = [.init(kind: "magn", scale: 0.0015, signal: { _ in SIMD3(0.18, -0.05, 0.42) })]
            $0.thermometer = .init(offset: 0, scale: 500) { _ in 31.5 }
        }
        let rig = try KernelRig(device)
        let file = "\(device.root.devices)/iio:device0/in_temp_raw"
        rig.run(until: at(59))
        try #require(unlink(file) == 0)
        try #require(mkdir(file, 0o700) == 0)
        rig.run(until: at(61))
        try #require(rmdir(file) == 0)
        rig.run(until: at(125))
        let times = rig.frames.filter { $0.temperature != nil }.map(\.time.seconds)
        #expect(times.count == 2 && times[0] < 1 && abs(times[1] - 120) < 1, "\(times)")
    }

    /// Four seconds at 100 a second, and four reads where those are more.
    @Test(arguments: [(1, 400), (20, 400), (100, 400), (101, 404), (200, 800)])
    func theKernelKeepsWhatAThreadThatIsHeldUpMisses(watermark: Int, capacity: Int) throws {
        let rig = try KernelRig(accelerometer(), settings: ChipSettings(watermark: watermark))
        #expect(rig.sensor.watermark == watermark && rig.sensor.capacity == capacity)
        rig.run(until: at(5))
        rig.stall(until: at(5 + Double(capacity - watermark - 2) / 100))
        rig.run(until: at(20))
        #expect(rig.device.dropped == 0 && rig.reader.counters.lost == 0 && rig.lostInFrames == 0)
    }

    @Test func devicesAreFoundByNodeLabelOrName() throws {
        let device = try accelerometer { $0.label = "wrist" }
        for name in ["iio:device0", "wrist", "lis3dh"] {
            #expect(try IIODevice.find(name, in: device.root).node == "iio:device0")
        }
        let error = #expect(throws: SystemError.self) { try IIODevice.find("lsm6dso", in: device.root) }
        #expect(error?.description.contains("(there: wrist)") == true)
        #expect(try IIOSensor("wrist", root: device.root).mountMatrix == [[0, 1, 0], [-1, 0, 0], [0, 0, 1]])
        #expect(IIODevice.all(in: IIODevice.Root(devices: "/nowhere")).isEmpty)
    }
}

extension MonotonicTime {
    fileprivate var seconds: Double { Double(nanoseconds) / 1e9 }
}
