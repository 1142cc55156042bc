// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Glibc
import Simulation
import Testing

@testable import Agent

private let boardText = """
    name = "bench"

    [[bus]]
    name = "motion"
    device = "simulated"

    [[chip]]
    type = "LSM6DSO"
    bus = "motion"
    address = 0x6A

    [world]
    script = "still 60s"

    [[button]]
    name = "select"
    device = "simulated"
    code = 28

    [[light]]
    name = "status"
    device = "simulated"
    """

private func measure(_ kind: MeasureKind, rate: Double = 104, range: Double? = nil) -> AgentConfiguration.Measure {
    .init(channel: kind, rate: rate, range: range, activity: .always, format: .cwa, rotation: .seconds(3600))
}

private let origin = RecordingOrigin(study: "s", participant: nil, deviceID: 1, bootID: "b", zone: .utc)

/// The name of a folder that is made by who plans.
private func newFolder() -> String { "/tmp/measuring-plan-\(getpid())-\(UInt64.random(in: 0...UInt64.max))" }

/// The plan of a board with one chip of two kinds.
private func plan(
    _ measures: [AgentConfiguration.Measure], board boardText: String = boardText
) throws -> MeasuringPlan {
    let clock = VirtualClock(now: Instant(seconds: 1_700_000_000))
    let panel = try SimulatedPanelFolder(parent: "/tmp", isColoured: false)
    var parts = SimulatedParts()
    parts.buses["motion"] = SimulatedI2CBus(chips: []) { .zero }
    parts.lights["status"] = panel.light
    let board = try BoardDescription(parsing: boardText, file: "bench.toml")
    let folder = newFolder()
    defer { rmdir(folder) }
    var plan = MeasuringPlan(
        .init(
            devices: try BoardDevices(board, parts: parts, clock: clock), measures: measures, origin: origin,
            folder: try RecordingFolder(folder), clock: clock,
            needsMicrophone: false))
    try plan.addChips()
    return plan
}

@Suite struct MeasuringPlanTests {
    @Test func aChipOfTwoKindsServesAnAccelerometerMeasureWithSixChannels() throws {
        let plan = try plan([measure(.accelerometer, range: 4)])
        #expect(plan.sources.count == 1 && plan.sources.first?.source.device == "LSM6DSO")
        #expect(plan.sources.first?.source.channels.count == 6 && plan.sources.first?.source.fullScale == 4)
        if let source = plan.sources.first?.source { _ = try CWAWriter(source: source) }
        #expect(MeasuringSystem.rates(plan) == ["accelerometer": 104])
        #expect(plan.vectorRings.count == 1 && plan.ringBytes == plan.vectorRings.first?.memory.count)
    }

    @Test func measuresOfBothKindsAreOneStream() throws {
        let plan = try plan([measure(.gyroscope, range: 500), measure(.accelerometer, range: 16)])
        #expect(plan.sources.count == 1 && plan.sensors.count == 1)
        let source = try #require(plan.sources.first?.source)
        #expect(source.fullScale == 16 && source.channels[0].scale == 0.0175)
    }

    @Test func measuresOfBothKindsAtDifferentRatesAreRefusedWithARemedy() {
        let error = #expect(throws: ConfigError.self) {
            try plan([measure(.accelerometer), measure(.gyroscope, rate: 52)])
        }
        #expect(error?.description.contains("use the same rate") == true)
    }

    @Test func anInterruptLineThatCannotBeHadIsNamedAndTheChipReadAllTheSame() throws {
        let wired = boardText.replacing("0x6A", with: "0x6A\ninterrupt = \"/dev/gpiochip99:25\"")
        let plan = try plan([measure(.accelerometer)], board: wired)
        let devices = try plan.devices(of: "motion")
        #expect(devices.count == 1 && devices[0].interrupt?.isThere == false)
        #expect(plan.sensors[0].lineFault?.description.hasPrefix("bench.toml:7: chip[0].interrupt: ") == true)
    }

    @Test func anInterruptLineOfAChipThatHasNoneIsRefused() {
        let wired = boardText.replacing("LSM6DSO", with: "MPU-6050")
            .replacing("0x6A", with: "0x68\ninterrupt = \"/dev/gpiochip0:25\"")
        let error = #expect(throws: ConfigError.self) { try plan([measure(.accelerometer, rate: 100)], board: wired) }
        #expect(error?.description.contains("remove the key") == true)
    }

    /// The kernel's driver of an LIS3DH has acceleration alone, which is known once it has come: the plan that is
    /// made then says so.
    @Test(arguments: [false, true]) func aLateDeviceThatDoesNotMeasureItIsNamedUnlessTheMeasureIsOptional(
        isOptional: Bool
    ) throws {
        let device = try SimulatedIIODevice(
            .init(name: "lis3dh", sensors: [.init(kind: "accel", scale: 0.001) { _ in SIMD3(0, 0, 1) }]))
        device.unplug()
        var parts = SimulatedParts()
        parts.kernelChips = device.root
        let text = BoardDescriptionTests.least + "[[chip]]\ntype = \"IIO\"\ndevice = \"lis3dh\"\n"
        let clock = VirtualClock(now: .epoch)
        let devices = try BoardDevices(BoardDescription(parsing: text, file: "b.toml"), parts: parts, clock: clock)
        defer { devices.close() }
        let measures = try AgentConfiguration(
            parsing: "board = 'b'\n[[measure]]\nchannel = 'gyroscope'\noptional = \(isOptional)\n", file: "studyd.toml"
        ).measures
        let folder = newFolder()
        defer { rmdir(folder) }
        let recordings = try RecordingFolder(folder)
        func plan() throws -> MeasuringPlan {
            var plan = MeasuringPlan(
                .init(
                    devices: devices, measures: measures, origin: origin, folder: recordings, clock: clock,
                    needsMicrophone: false))
            try plan.addChips()
            return plan
        }
        #expect(try plan().awaited.map(\.measure.channel) == [.gyroscope])
        try device.plug(number: 0)
        devices.poller.poll(at: clock.monotonic + .seconds(2))
        if isOptional {
            let plan = try plan()
            #expect(plan.sources.isEmpty && plan.awaited.isEmpty)
        } else {
            let error = #expect(throws: ConfigError.self) { try plan() }
            let words = error?.description ?? ""
            #expect(words.contains("gyroscope, but no device of its IIO chips measures it"), "\(words)")
            #expect(words.contains("optional = true"), "\(words)")
        }
    }

    /// The plan of a board with these tables besides the least that one has.
    private func planned(
        _ tables: String, measures: String, kernelChips: IIODevice.Root? = nil, needsPosition: Bool = false
    ) throws -> MeasuringPlan {
        var parts = SimulatedParts()
        if let kernelChips { parts.kernelChips = kernelChips }
        let board = try BoardDescription(parsing: BoardDescriptionTests.least + tables, file: "b.toml")
        let clock = VirtualClock(now: .epoch)
        let devices = try BoardDevices(board, parts: parts, clock: clock)
        defer { devices.close() }
        devices.poller.poll(at: clock.monotonic + .seconds(2))
        let folder = newFolder()
        defer { rmdir(folder) }
        var setting = MeasuringSystem.Setting(
            devices: devices,
            measures: try AgentConfiguration(parsing: "board = 'b'\n" + measures, file: "studyd.toml").measures,
            origin: origin,
            folder: try RecordingFolder(folder), clock: clock, needsMicrophone: false)
        setting.needsPosition = needsPosition
        var plan = MeasuringPlan(setting)
        try plan.addChips()
        try plan.addPosition()
        try plan.addSound()
        return plan
    }

    /// sysfs-bus-iio: `in_mount_matrix` is the device tree's word; the board file's goes before it.
    @Test(
        arguments: [
            ("", [[0, 1, 0], [-1, 0, 0], [0, 0, 1]]),
            ("matrix = [[1, 0, 0], [0, 0, 1], [0, -1, 0]]\n", [[1, 0, 0], [0, 0, 1], [0, -1, 0]]),
        ] as [(String, [[Double]])])
    func aDeviceOfTheKernelIsMountedAsTheBoardSaysElseAsTheKernelDoes(key: String, matrix: [[Double]]) throws {
        let device = try SimulatedIIODevice(
            .init(name: "lis3dh", sensors: [.init(kind: "accel", scale: 0.001) { _ in SIMD3(0, 0, 1) }]))
        let plan = try withExtendedLifetime(device) {
            try planned(
                "[[chip]]\ntype = \"IIO\"\ndevice = \"lis3dh\"\n" + key,
                measures: "[[measure]]\nchannel = 'accelerometer'\n", kernelChips: device.root)
        }
        #expect(plan.sources.map(\.source.mounting) == [matrix] && plan.awaited.isEmpty)
        #expect(plan.sensors.count == 1 && plan.vectorRings.count == 1 && plan.buses == ["iio"])
    }

    /// The line is read where a place is recorded or asked for; what is recorded of it has a ring of its own.
    @Test(arguments: [
        (true, true, false), (true, true, true), (true, false, true), (true, false, false), (false, false, true),
    ]) func aReceiversLineHasItsRings(isThere: Bool, isMeasured: Bool, isAskedFor: Bool) throws {
        let plan = try planned(
            isThere ? "[position]\ndevice = \"/dev/serial0\"\n" : "",
            measures: isMeasured ? "[[measure]]\nchannel = 'position'\n" : "", needsPosition: isAskedFor)
        #expect((plan.lineRing != nil) == (isThere && (isMeasured || isAskedFor)))
        #expect((plan.positionRing != nil) == isMeasured)
        #expect(plan.sources.map(\.source.kind) == (isMeasured ? [.position] : []))
        let rings = [plan.lineRing, plan.positionRing].compactMap { $0?.memory.count }
        #expect(plan.ringBytes == rings.reduce(0, +))
        #expect(MeasuringSystem.rates(plan).isEmpty, "a place comes when the receiver knows it")
    }

    /// It is left out or 0 where there is none, and of nothing else on the board.
    @Test(
        arguments: [
            ("", nil), ("calibration = 0.0", nil), ("calibration = 94.0", 94), ("calibration = -26.5", -26.5),
        ] as [(String, Double?)])
    func onlySoundHasTheMicrophonesCalibration(key: String, calibration: Double?) throws {
        let plan = try planned(
            "[microphone]\ndevice = \"hw:CARD=mic\"\n\(key)\n[position]\ndevice = \"/dev/serial0\"\n",
            measures: "[[measure]]\nchannel = 'position'\n[[measure]]\nchannel = 'sound'\nformat = 'levels'\n")
        #expect(plan.sources.map(\.source.kind) == [.position, .sound])
        #expect(plan.sources.map(\.measure.calibration) == [nil, calibration])
    }

    @Test func whatAMissingMicrophoneWouldHaveGivenIsLost() throws {
        let source = SourceDescription(
            kind: .sound, device: "microphone", location: "hw:0", channels: [], nominalRate: 16_000, fullScale: 1)
        let folder = newFolder()
        defer { rmdir(folder) }
        let recorder = try MeasureConfiguration(identifier: "sound", format: .levels).recorder(
            of: .sound(FrameRing(capacity: 2, repeating: SoundFrame(time: .zero))), source: source,
            origin: origin,
            folder: try RecordingFolder(folder))
        let state = MeasureState(recorder, lastHour: SampleCounts()).missing(for: .seconds(2))
        #expect(state.counts.due == 32_000 && state.counts.lost == [.notRunning: 32_000] && state.counts.stored == 0)
    }

    /// Of the last hour no more than an hour.
    @Test(arguments: [(0, 0, 0), (2, 200, 200), (3600, 360_000, 360_000), (3601, 360_100, 360_000)])
    func whatAnAwaitedDeviceWouldHaveGivenIsLost(seconds: Int, lost: Int, lately: Int) throws {
        let device = try SimulatedIIODevice(
            .init(name: "lis3dh", sensors: [.init(kind: "accel", scale: 0.001) { _ in SIMD3(0, 0, 1) }]))
        device.unplug()
        let plan = try withExtendedLifetime(device) {
            try planned(
                "[[chip]]\ntype = \"IIO\"\ndevice = \"lis3dh\"\n",
                measures: "[[measure]]\nchannel = 'accelerometer'\nrate = 100\n", kernelChips: device.root)
        }
        let state = MeasureState(awaited: try #require(plan.awaited.first), for: .seconds(seconds))
        #expect(state.isMissing && state.device == "lis3dh" && state.counts.stored == 0)
        #expect(state.counts.due == lost && state.counts.totalLost == lost)
        #expect(state.lastHour.due == lately && state.lastHour.totalLost == lately)
    }

    /// Its buffer has one rate, and what is in it goes into one file.
    @Test(arguments: [("rate = 100", true), ("", true), ("rate = 50", false)])
    func aDeviceOfTheKernelIsReadOnceForBoth(gyroscope: String, isOne: Bool) throws {
        let device = try SimulatedIIODevice(
            .init(
                name: "lsm6dso",
                sensors: [
                    .init(kind: "accel", scale: 0.001) { _ in SIMD3(0, 0, 1) },
                    .init(kind: "anglvel", scale: 0.001) { _ in .zero },
                ]))
        let tables = "[[measure]]\nchannel = 'accelerometer'\nrate = 100\n[[measure]]\nchannel = 'gyroscope'\n"
        func plan() throws -> MeasuringPlan {
            try withExtendedLifetime(device) {
                try planned(
                    "[[chip]]\ntype = \"IIO\"\ndevice = \"lsm6dso\"\n", measures: tables + gyroscope + "\n",
                    kernelChips: device.root)
            }
        }
        if isOne {
            let plan = try plan()
            #expect(plan.sources.map(\.source.channels.count) == [6] && plan.awaited.isEmpty)
        } else {
            let error = #expect(throws: ConfigError.self) { try plan() }
            #expect(error?.description.contains("same rate and format") == true, "\(String(describing: error))")
        }
    }

    /// A magnetic field is no part of a file of motion: the device that has not come yet may measure it.
    @Test(
        arguments: [
            (["accelerometer"], [3], []), (["accelerometer", "gyroscope"], [6], []),
            (["accelerometer", "magnetometer"], [3], [.magnetometer]),
            (["magnetometer", "gyroscope"], [3], [.gyroscope]),
        ] as [([String], [Int], [MeasureKind])])
    func whatOneBufferIsNotReadForWaitsForAnotherDevice(
        asked: [String], channels: [Int], awaited: [MeasureKind]
    ) throws {
        let device = try SimulatedIIODevice(
            .init(
                name: "mpu9250",
                sensors: ["anglvel", "accel", "magn"].map { .init(kind: $0, scale: 0.001) { _ in SIMD3(0, 0, 1) } }))
        let plan = try withExtendedLifetime(device) {
            try planned(
                ["mpu9250", "x"].map { "[[chip]]\ntype = \"IIO\"\ndevice = \"\($0)\"\n" }.joined(),
                measures: asked.map { "[[measure]]\nchannel = '\($0)'\n" }.joined(), kernelChips: device.root)
        }
        #expect(plan.sources.map(\.source.channels.count) == channels)
        #expect(plan.awaited.map(\.measure.channel) == awaited)
    }

    /// The full scale of the gyroscope is its own; every other measure has the one of the device.
    @Test(
        arguments: [
            ([measure(.accelerometer, range: 16), measure(.gyroscope, range: 500)], 16, 500),
            ([measure(.gyroscope, range: 500), measure(.accelerometer, range: 16)], 16, 500),
            ([measure(.gyroscope, range: 500)], nil, 500), ([measure(.accelerometer, range: 16)], 16, nil),
            ([measure(.magnetometer, range: 400)], 400, nil),
        ] as [([AgentConfiguration.Measure], Double?, Double?)])
    func aDeviceOfTheKernelIsAskedForTheRangeOfEach(
        measures: [AgentConfiguration.Measure], range: Double?, rotationRange: Double?
    ) {
        let settings = ChipSettings(of: measures)
        #expect(settings.range == range && settings.rotationRange == rotationRange && settings.rate == 104)
    }

    @Test func aRateThatTheChipDoesNotHaveIsNamedWithThoseItHas() {
        let error = #expect(throws: ConfigError.self) { try plan([measure(.accelerometer, rate: 100)]) }
        #expect(error?.description.contains("12.5, 26, 52, 104") == true)
    }
}
