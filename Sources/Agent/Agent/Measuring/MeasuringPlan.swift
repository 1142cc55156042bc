// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Study

/// Which rings, drivers and recorders a `MeasuringSystem` or `SteppedMeasuring` consists of; both make one. After
/// `init` each `add…` is called once, `addChips` first, so that the sources of chips come before all others, in the
/// order of `sensors`. The rings that drivers fill hold at least 30 s.
struct MeasuringPlan {
    private let setting: MeasuringSystem.Setting
    private var drives: [Drive] = []
    private let fit: MeasuringFit
    private(set) var sources: [RecorderThread.Source] = []
    private(set) var sensors: [MeasuringSensor] = []
    /// What a sensor behind a driver of the kernel would give that is not there yet.
    var awaited: [AwaitedMeasure] { fit.awaited }
    private(set) var ringBytes = 0
    private(set) var vectorRings: [FrameRing<VectorFrame>] = []
    /// All three nil where no sound is recorded and no answer can be spoken.
    private(set) var microphoneRing: FrameRing<SoundFrame>?
    private(set) var microphone: PCMParameters?
    private(set) var soundSource: SourceDescription?
    /// What comes from the receiver's line.
    private(set) var lineRing: FrameRing<ByteFrame>?
    /// The receiver's bytes on their way to the recorder; nil when position is not measured.
    private(set) var positionRing: FrameRing<ByteFrame>?

    /// Where button edges go; nil when they are not measured.
    private(set) var tap: ButtonTap?

    /// Seconds that a ring holds.
    private static let ringTime = 32.0

    /// How a device is made; on the way to its thread it must have no other owner.
    private struct Drive: Sendable {
        let bus: String
        let device: @Sendable () throws -> any PolledDevice
    }

    init(_ setting: MeasuringSystem.Setting) {
        self.setting = setting
        fit = MeasuringFit(setting.measures, on: setting.devices.board, kernelDevice: setting.devices.kernelDevice)
    }

    /// The devices of each bus, made now, to be given to its thread.
    func devices(of bus: String) throws -> [any PolledDevice] {
        var devices: [any PolledDevice] = []
        for drive in drives where drive.bus == bus { devices.append(try drive.device()) }
        return devices
    }
    var buses: [String] { Set(drives.map(\.bus)).sorted() }

    mutating func addChips() throws {
        try fit.check()
        for use in fit.uses { try addDriven(use) }
        for use in fit.kernelUses { try addKernelDriven(use) }
    }

    mutating func addPosition() throws {
        let measure = fit.position
        let isWanted = setting.listener != nil || setting.needsPosition
        guard measure != nil || isWanted && setting.devices.serialPath != nil else { return }
        let line = FrameRing(capacity: 2048, repeating: ByteFrame(time: .zero))
        lineRing = line
        ringBytes += line.memory.count
        guard let measure, let path = setting.devices.serialPath else { return }
        let ring = FrameRing(capacity: 256, repeating: ByteFrame(time: .zero))
        positionRing = ring
        ringBytes += ring.memory.count
        var source = SourceDescription(
            kind: .position, device: "NMEA receiver", location: path,
            channels: [Channel(name: "nmea", unit: .text, scale: 1)], nominalRate: 1, fullScale: 0)
        // A UART wakes its reader at half of its 16 or 32 bytes, of 10 bits each, and the thread
        // comes a little later.
        source.stampError = 16 * 10 / Double(max(1200, setting.devices.board.position?.baud ?? 9600)) + 0.005
        sources.append(.init(measure: configuration(measure), input: .bytes(ring), source: source))
    }

    mutating func addButtons() throws {
        guard let measure = fit.buttons else { return }
        let board = setting.devices.board
        let places = Set(board.buttons.map(\.device).filter { !$0.isEmpty }).sorted()
        var panel = try Panel(board)
        panel.holdTimes = setting.holdTimes
        let tap = ButtonTap(panel, location: places.joined(separator: ", "))
        self.tap = tap
        ringBytes += tap.ring.memory.count
        sources.append(.init(measure: configuration(measure), input: .vectors(tap.ring), source: tap.source))
    }

    mutating func addSound() throws {
        let measure = fit.sound
        guard measure != nil || setting.needsMicrophone, let parameters = setting.devices.microphone else { return }
        let blocks = Int(Double(parameters.rate) * Self.ringTime) / SoundFrame.capacity + 1
        let microphoneRing = FrameRing(capacity: blocks, repeating: SoundFrame(time: .zero))
        self.microphoneRing = microphoneRing
        ringBytes += microphoneRing.memory.count
        microphone = parameters
        let source = SourceDescription(
            kind: .sound, device: "microphone", location: parameters.device,
            channels: [Channel(name: "sound", unit: .pcm, scale: 1.0 / 32_768)], nominalRate: Double(parameters.rate),
            fullScale: 1)
        soundSource = source
        guard let measure else { return }
        // What stalls waits in the microphone's ring; this one is filled and emptied by
        // the same thread.
        let ring = FrameRing(capacity: blocks / 6 + 1, repeating: SoundFrame(time: .zero))
        ringBytes += ring.memory.count
        sources.append(.init(measure: configuration(measure), input: .sound(ring), source: source))
    }

    private mutating func addDriven(_ use: MeasuringFit.Use) throws {
        let (measure, chip, entry, settings) = (use.measure, use.chip, use.entry, use.settings)
        guard let bus = setting.devices.buses[chip.bus] else {
            throw ConfigError(
                file: setting.devices.board.file, path: "", line: nil,
                cause: "the configuration measures \(measure.channel.rawValue), but bus '\(chip.bus)' is not open",
                remedy: nil)
        }
        let sensor = try withPlace(of: chip.path) { try entry.make(bus, chip.bus, settings) }
        let ring = Self.ring(sensor.source.nominalRate)
        let counters = SensorCounters()
        let condition = AwaitedLine.Condition()
        drives.append(
            Drive(bus: chip.bus) { [clock = setting.clock] in
                let line = try chip.interrupt.map { interrupt in
                    try AwaitedLine(condition, now: { clock.monotonic }) {
                        try GPIOInterruptLine(chip: interrupt.chip, line: interrupt.line)
                    }
                }
                return SampledDevice(
                    sensor: try entry.make(bus, chip.bus, settings), ring: ring, counters: counters, interrupt: line,
                    clock: { clock.monotonic }, start: clock.monotonic)
            })
        var source = sensor.source
        source.mounting = chip.mounting?.matrix
        let measuring = MeasuringSensor(
            place: setting.devices.board.place(of: chip.path), watermark: sensor.watermark,
            memory: Self.memory(sensor.depth, source.nominalRate), counters: counters, line: condition)
        add(measuring, measure, ring, source)
    }

    private mutating func add(
        _ sensor: MeasuringSensor, _ measure: ConfiguredMeasure, _ ring: FrameRing<VectorFrame>,
        _ source: SourceDescription
    ) {
        vectorRings.append(ring)
        ringBytes += ring.memory.count
        sensors.append(sensor)
        sources.append(.init(measure: configuration(measure), input: .vectors(ring), source: source, sensor: sensor))
    }

    private mutating func addKernelDriven(_ use: MeasuringFit.KernelUse) throws {
        let (chip, measures) = (use.chip, use.measures)
        let sensor = try withPlace(of: chip.path) {
            try IIOSensor(
                chip.device, settings: ChipSettings(of: measures), measures: Set(measures.map(\.channel)),
                root: use.root)
        }
        let ring = Self.ring(sensor.source.nominalRate)
        let counters = SensorCounters()
        drives.append(
            Drive(bus: "iio") { [clock = setting.clock] in
                IIOReader(sensor: sensor, ring: ring, counters: counters, start: clock.monotonic)
            })
        var source = sensor.source
        source.mounting = chip.mounting?.matrix ?? sensor.mountMatrix
        let measuring = MeasuringSensor(
            place: setting.devices.board.place(of: chip.path), watermark: sensor.watermark,
            memory: Self.memory(sensor.capacity, source.nominalRate), counters: counters)
        add(measuring, measures[0], ring, source)
    }

    /// What `body` throws, with the place of a chip in the board file.
    private func withPlace<Value>(of path: String, _ body: () throws -> Value) throws -> Value {
        let board = setting.devices.board
        do { return try body() } catch {
            throw ConfigError(file: board.file, path: path, line: board.line(of: path), error)
        }
    }

    /// For `MeasuringSensor.memory`: a chip may be 15 % slower than `rate`, its driver a second late.
    private static func memory(_ samples: Int, _ rate: Double) -> Duration {
        .seconds(1.15 * Double(samples) / rate) + .seconds(1)
    }

    private static func ring(_ rate: Double) -> FrameRing<VectorFrame> {
        FrameRing(capacity: Int(rate * ringTime * 1.2) + 1, repeating: VectorFrame(values: .zero, count: 0))
    }

    private func configuration(_ measure: ConfiguredMeasure) -> MeasureConfiguration {
        let calibration = measure.channel == .sound ? setting.devices.board.microphone?.calibration : nil
        return MeasureConfiguration(
            identifier: measure.channel.rawValue, format: measure.format, rotation: measure.rotation,
            bodyLocation: measure.bodyLocation, calibration: calibration == 0 ? nil : calibration,
            thirdOctaves: measure.thirdOctaves, longestGap: measure.longestGap)
    }
}

extension ChipSettings {
    /// What measures that are read from one device of a kernel driver ask of it.
    init(of together: [ConfiguredMeasure]) {
        self.init(
            rate: together.first(where: \.isRateAsked)?.rate, range: together.first { $0.channel != .gyroscope }?.range,
            rotationRange: together.first { $0.channel == .gyroscope }?.range)
    }
}

/// A measure that begins when one of these chips has come.
struct AwaitedMeasure: Sendable {
    let measure: ConfiguredMeasure
    let chips: [BoardDescription.KernelChip]
}
