// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Simulation
import Study
import Synchronization
import SystemKit

/// What a load consists of, and how long it is played in virtual time.
struct LoadPlan {
    let name: String
    let chips: [(name: String, settings: ChipSettings, format: RecordingFormat)]
    let soundRate: Int
    let soundFormat: RecordingFormat
    let fixesPerSecond: Int
    let length: Duration
    /// Most per cent of one core.
    let limit: Double

    static let reference = LoadPlan(
        name: "reference load",
        chips: [("LIS3DH", ChipSettings(rate: 100), .cwa), ("LIS3MDL", ChipSettings(rate: 20), .csv)],
        soundRate: 16_000,
        soundFormat: .levels, fixesPerSecond: 1, length: .seconds(3600), limit: 2)
    static let heavy = LoadPlan(
        name: "heavy load", chips: [("LSM6DSO", ChipSettings(rate: 1667), .cwa)], soundRate: 48_000,
        soundFormat: .flac, fixesPerSecond: 10, length: .seconds(600), limit: 10)
}

/// The real drivers, rings and recorders on simulated chips, a simulated receiver and made-up
/// sound, in virtual time: every wake-up up to 5 ms late, every transaction as long as on the wire.
///
/// What cannot be had in virtual time is left out and added as a separate figure: the kernel's part
/// of a wake-up.
final class LoadBench {
    private struct Chip {
        let device: SampledDevice
        let metered: MeteredDevice
        let watermark: Int
        /// Samples at the beginning that the driver leaves out, because the chip's filters settle.
        let unsettled: Int
        let truth: Truth
    }

    /// When the chip took its samples.
    private final class Truth: Sendable {
        private let times = Mutex<[MonotonicTime]>([])
        func handle(_ time: MonotonicTime) { times.withLock { $0.append(time) } }
        var all: [MonotonicTime] { times.withLock { $0 } }
    }

    static let trueRate = 1.008
    static let origin = RecordingOrigin(
        study: "bench", participant: "p", deviceID: 1, bootID: "boot",
        zone: Zone(fixed: 0, identifier: "UTC", abbreviation: "UTC"))
    private static let soundPeriod = PCMParameters(device: "hw:0", rate: 16_000).period
    private let plan: LoadPlan
    private let clock = VirtualClock(now: Instant(seconds: 1_795_251_600))
    private let poller: SteppedPoller
    private let folder: RecordingFolder
    private let warm = MonotonicTime(nanoseconds: 30_000_000_000)
    private var chips: [Chip] = []
    private var bus: MeteredBus
    private var recorders: [any SampleRecorder] = []
    private var sound: MeteredDevice?
    private var position: MeteredDevice?
    private var recording: MeteredDevice?
    private var soundFrames = 0
    private var gps: SimulatedGPS
    private var sealed: [SealedRecording] = []

    init(_ plan: LoadPlan, in path: String, nmea: [UInt8]) throws {
        self.plan = plan
        folder = try RecordingFolder(path)
        var random = SplitMix(state: 3)
        poller = SteppedPoller(clock: clock) { .microseconds(Int64(random.next() % 5000)) }
        gps = SimulatedGPS(
            NMEALog(nmea), into: try PseudoTerminal(), start: .zero, interval: .seconds(1) / plan.fixesPerSecond)
        bus = MeteredBus(SimulatedI2CBus(chips: []) { .zero }, clock)
        try addChips()
        try addSound()
        try addPosition()
        addRecording()
    }

    // MARK: Parts

    private func addChips() throws {
        let clock = clock
        let simulated = SimulatedI2CBus(chips: []) { clock.monotonic }
        bus = MeteredBus(simulated, clock)
        for (name, settings, format) in plan.chips {
            let truth = Truth()
            let wave: Signal = { time in
                truth.handle(time)
                let part = Double(time.nanoseconds % 1_000_000_000) / 1e9
                return SIMD3(part, -0.5 * part, 1 - part)
            }
            let entry = try ChipCatalog.chip(named: name)
            let felt = PhysicalInput(acceleration: wave, rotation: { _ in SIMD3(12, -30, 5) }, field: wave)
            guard let twin = SimulatedCatalog.chip(named: name) else { continue }
            simulated.attach(
                twin.make(entry.identity.addresses[0], felt, Specimen(rateError: Self.trueRate - 1), .zero))
            let sensor = try entry.make(bus, "i2c-1", settings)
            let ring = FrameRing(
                capacity: Int(sensor.source.nominalRate * 38), repeating: VectorFrame(values: .zero, count: 0))
            let device = SampledDevice(sensor: sensor, ring: ring, clock: { clock.monotonic }, start: .zero)
            let metered = MeteredDevice(device, bus: bus, from: warm)
            chips.append(
                Chip(
                    device: device, metered: metered, watermark: sensor.watermark, unsettled: sensor.unsettledSamples,
                    truth: truth))
            try record(sensor.source, .vectors(ring), format)
        }
        poller.add(thread: chips.map(\.metered))
    }

    /// As a capturing thread does per period, with made-up sound instead of the card's.
    private func addSound() throws {
        let frames = Int(Double(plan.soundRate) * Self.soundPeriod.seconds)
        var random = SplitMix(state: 5)
        let raw = (0..<frames).map { _ in Int16(truncatingIfNeeded: random.next() % 2000) - 1000 }
        let ring = FrameRing(
            capacity: plan.soundRate * 32 / SoundFrame.capacity + 1, repeating: SoundFrame(time: .zero))
        let source = SourceDescription(
            kind: .sound, device: "microphone", location: "hw:0",
            channels: [Channel(name: "sound", unit: .pcm, scale: 1.0 / 32_768)], nominalRate: Double(plan.soundRate),
            fullScale: 1)
        try record(source, .sound(ring), plan.soundFormat)
        let period = Periodic(every: Self.soundPeriod, from: .zero) { [self] time in
            soundFrames += frames
            var done = 0
            while done < frames {
                var block = SoundFrame(
                    time: time - Self.soundPeriod + .seconds(Double(done) / Double(plan.soundRate)))
                let count = min(SoundFrame.capacity, frames - done)
                block.count = UInt16(count)
                for index in 0..<count { block.samples[index] = raw[done + index] }
                ring.push(block)
                done += count
            }
        }
        let metered = MeteredDevice(period, from: warm)
        sound = metered
        poller.add(metered)
    }

    private func addPosition() throws {
        let ring = FrameRing(capacity: 2048, repeating: ByteFrame(time: .zero))
        let source = SourceDescription(
            kind: .position, device: "NMEA receiver", location: "/dev/serial0",
            channels: [Channel(name: "nmea", unit: .text, scale: 1)], nominalRate: Double(plan.fixesPerSecond),
            fullScale: 0)
        try record(source, .bytes(ring), .nmea)
        let reader = try SerialReader(path: gps.line.path, baud: 9600, ring: ring)
        let interval = Duration.seconds(1) / plan.fixesPerSecond
        let metered = MeteredDevice(
            Periodic(every: interval, from: MonotonicTime(nanoseconds: 1000)) { _ = reader.drain(at: $0) }, from: warm)
        position = metered
        poller.add(gps)
        poller.add(metered)
    }

    private func record(_ source: SourceDescription, _ input: RecorderInput, _ format: RecordingFormat) throws {
        let measure = MeasureConfiguration(identifier: source.kind.rawValue, format: format)
        recorders.append(try measure.recorder(of: input, source: source, origin: Self.origin, folder: folder))
    }

    private func addRecording() {
        let metered = MeteredDevice(
            Periodic(every: RecorderPace.steady, from: .zero) { [self] _ in
                let now = clock.monotonic
                for recorder in recorders { sealed += recorder.drain(at: now, anchors: [anchor]) }
            }, from: warm)
        recording = metered
        poller.add(metered)
    }

    private var anchor: ClockAnchor {
        ClockAnchor(
            monotonic: .zero, instant: Instant(seconds: 1_795_251_600), source: .kernel, uncertainty: .milliseconds(1))
    }

    // MARK: Figures

    func figures() throws -> [Figure] {
        let end = MonotonicTime.zero + plan.length
        poller.run(until: end)
        for recorder in recorders { sealed += recorder.stop(at: clock.monotonic, anchors: [anchor]) }
        return wakeUps() + processor(seconds: (end - warm).seconds) + allocations() + accounts() + (try sampleTimes())
    }

    private func named(_ what: String) -> String { "\(plan.name), \(what)" }

    /// Those of our threads, against one per watermark or sample, epoch and period. The recorder's
    /// are its own: one each five seconds.
    private func wakeUps() -> [Figure] {
        let seconds = plan.length.seconds
        // Setting a chip up takes one too.
        let bursts = chips.reduce(0.0) {
            $0 + Double($1.device.counters.read / $1.watermark + $1.device.counters.setUps)
        }
        let allowed = bursts + Double(gps.sent) + seconds / Self.soundPeriod.seconds
        let measuring = Double(poller.wakeUps[0] + poller.wakeUps[1] + poller.wakeUps[3])
        return [
            Figure(
                name: named("wake-ups"), value: measuring / seconds, unit: "1/s",
                ratio: (measuring / allowed, "one per watermark, sample, epoch and period"), limit: allowed / seconds),
            Figure(
                name: named("wake-ups of the bus"), value: Double(poller.wakeUps[0]) / seconds, unit: "1/s",
                ratio: (Double(poller.wakeUps[0]) / bursts, "one per watermark or sample"), limit: bursts / seconds),
        ]
    }

    private func processor(seconds: Double) -> [Figure] {
        let parts: [(String, MeteredDevice?)] =
            chips.map { ($0.device.source.device, $0.metered) }
            + [("sound", sound), ("position", position), ("recorder", recording)]
        let perWakeUp = WakeUpBench.cost
        let turns = Double(poller.wakeUps.reduce(0, +) - poller.wakeUps[2]) / plan.length.seconds
        var sum = turns * perWakeUp.seconds * 100
        var figures = [
            Figure(name: named("processor, waking up \(Int(turns)) times a second"), value: sum, unit: "% of a core")
        ]
        for (name, part) in parts {
            let percent = Double(part?.cost.processor ?? 0) / 1e9 / seconds * 100
            sum += percent
            figures.append(Figure(name: named("processor, \(name)"), value: percent, unit: "% of a core"))
        }
        figures.append(Figure(name: named("processor"), value: sum, unit: "% of a core", limit: plan.limit))
        return figures
    }

    private func allocations() -> [Figure] {
        guard countsAllocations else { return [] }
        return chips.map { chip in
            let samples = max(1, chip.metered.serves * chip.watermark)
            return Figure(
                name: named("allocations per sample, \(chip.device.source.device)"),
                value: Double(chip.metered.cost.allocations) / Double(samples), unit: "count", limit: 0)
        } + [
            Figure(
                name: named("allocations per period of sound"),
                value: Double(sound?.cost.allocations ?? 0) / Double(max(1, sound?.serves ?? 1)), unit: "count",
                limit: 0),
            Figure(
                name: named("allocations per epoch of the receiver"),
                value: Double(position?.cost.allocations ?? 0) / Double(max(1, position?.serves ?? 1)), unit: "count",
                limit: 0),
        ]
    }

    /// Lost: counted as missing. Unaccounted: taken by a chip (a card, a receiver), neither stored
    /// nor lost, and no longer on its way (in the chip, at the very end).
    private func accounts() -> [Figure] {
        let counts = recorders.map(\.counts)
        let givenUp = counts.reduce(0) { $0 + ($1.lost[.notRunning] ?? 0) }
        let lost = counts.reduce(0) { $0 + $1.totalLost } - givenUp
        var unaccounted = 0
        for (index, chip) in chips.enumerated() {
            let taken = chip.truth.all.count - chip.unsettled
            unaccounted += max(0, abs(taken - counts[index].stored - counts[index].totalLost) - 2 * chip.watermark)
        }
        unaccounted += soundUnaccounted(counts[chips.count])
        unaccounted += counts.reduce(0) { $0 + abs($1.held) }
        let stored = counts.prefix(chips.count).reduce(0) { $0 + $1.stored }
        return [
            Figure(name: named("samples of chips stored"), value: Double(stored), unit: "count"),
            Figure(name: named("lost"), value: Double(lost), unit: "count", limit: 0),
            Figure(name: named("given up at the end, begun seconds and blocks"), value: Double(givenUp), unit: "count"),
            Figure(name: named("unaccounted"), value: Double(unaccounted), unit: "count", limit: 0),
        ]
    }

    private func soundUnaccounted(_ counts: SampleCounts) -> Int {
        abs(soundFrames - counts.stored - counts.totalLost)
    }

    /// The times in the accelerometer's file against the chip's.
    private func sampleTimes() throws -> [Figure] {
        guard let file = sealed.first(where: { $0.path.hasSuffix(".cwa") }), let chip = chips.first else { return [] }
        let truth = chip.truth.all.dropFirst(chip.unsettled)
        let times = try Self.times(of: file)
        var errors = zip(times, truth).map { abs(($0 - anchor.instant(at: $1)).seconds) * 1000 }
        errors.sort()
        guard !errors.isEmpty else { return [] }
        return [
            Figure(
                name: named("error of sample times, p99 (true rate 0.8 % off, wake-ups up to 5 ms late)"),
                value: errors[errors.count * 99 / 100], unit: "ms", limit: 1),
            Figure(name: named("error of sample times, median"), value: errors[errors.count / 2], unit: "ms"),
            Figure(
                name: named("error of sample times, worst, against the description's"), value: errors[errors.count - 1],
                unit: "ms", limit: (file.description.timeError ?? 0) * 1000),
        ]
    }

    /// Evenly from block to block, as the field's readers do it.
    private static func times(of file: SealedRecording) throws -> [Instant] {
        let reader = try CWAReader(File(file.path, .read))
        var times: [Instant] = []
        var last: (start: Instant, count: Int, rate: Double)?
        func add(until next: Instant?) {
            guard let last else { return }
            let period = next.map { ($0 - last.start).seconds / Double(last.count) } ?? 1 / last.rate
            for index in 0..<last.count { times.append(last.start + .seconds(Double(index) * period)) }
        }
        while let block = try reader.nextBlock() {
            guard let start = block.local(of: 0)?.instant(offset: 0) else { continue }
            add(until: start)
            last = (start, block.count, block.rate)
        }
        add(until: nil)
        return times
    }
}

/// The same numbers every time.
struct SplitMix {
    var state: UInt64
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
        return z ^ z >> 31
    }
}
