// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Glibc
import SimulatedWorld
import Simulation
import Study
import Synchronization
import SystemKit

/// The reference load in real time, on the real threads: what the kernel says that they cost.
///
/// The simulated receiver plays in a separate thread, which is not counted; the simulated bus,
/// which works in ours, is taken off. The sound comes through libasound from a file.
struct ThreadsBench {
    private static let names = ["bus-bench", "input-bench", "sound-bench", "record-bench"]
    private static let length = 20.0
    private let clock = SystemClock()
    private let bus: MeteredBus
    private let nmea: [UInt8]
    private let folder: String
    private let chips: [Chip]
    private let looks = Looks()

    /// How often the recorder's thread looked at its rings.
    private final class Looks: Sendable {
        private let count = Atomic<Int>(0)

        func add() { count.wrappingAdd(1, ordering: .relaxed) }
        var all: Int { count.load(ordering: .relaxed) }
    }

    /// A chip, and what its driver and its recorder share.
    private struct Chip: Sendable {
        let entry: ChipEntry
        let rate: Double
        let format: RecordingFormat
        let watermark: Int
        let source: SourceDescription
        let counters = SensorCounters()
        let ring = FrameRing(capacity: 4096, repeating: VectorFrame(values: .zero, count: 0))
    }

    /// What one recorder is made from, on its thread.
    private struct Recorded: Sendable {
        let source: SourceDescription
        let input: RecorderInput
        let format: RecordingFormat
    }

    /// What `/proc` says of our threads at one moment.
    private struct Reading {
        let time: MonotonicTime
        var processor: [String: Double] = [:]
        var wakeUps: [String: Int] = [:]
        let simulation: Cost
        let bursts: Int
        let looks: Int
    }

    init(in path: String, nmea: [UInt8]) throws {
        let (clock, bus) = (SystemClock(), SimulatedI2CBus(chips: []) { SystemClock().monotonic })
        self.bus = MeteredBus(bus, nil)
        folder = path
        self.nmea = nmea
        let felt = PhysicalInput(try World(script: "walk 60s; rest 60s", start: clock.monotonic))
        chips = try [("LIS3DH", 100.0, RecordingFormat.cwa), ("LIS3MDL", 20, .csv)].map { name, rate, format in
            let entry = try ChipCatalog.chip(named: name)
            if let twin = SimulatedCatalog.chip(named: name) {
                let specimen = Specimen(rateError: LoadBench.trueRate - 1)
                bus.attach(twin.make(entry.identity.addresses[0], felt, specimen, clock.monotonic))
            }
            let sensor = try entry.make(bus, "i2c-1", ChipSettings(rate: rate))
            return Chip(entry: entry, rate: rate, format: format, watermark: sensor.watermark, source: sensor.source)
        }
    }

    func figures() throws -> [Figure] {
        let line = try PseudoTerminal()
        let recordings = try RecordingFolder(folder)
        let bytes = FrameRing(capacity: 2048, repeating: ByteFrame(time: .zero))
        let sound = FrameRing(capacity: 2048, repeating: SoundFrame(time: .zero))
        let position = source(.position, [Channel(name: "nmea", unit: .text, scale: 1)], 1)
        let microphone = source(.sound, [Channel(name: "sound", unit: .pcm, scale: 1.0 / 32_768)], 16_000)
        let waker = try Waker()
        let recording = try recordThread(
            [
                Recorded(source: position, input: .bytes(bytes), format: .nmea),
                Recorded(source: microphone, input: .sound(sound), format: .levels),
            ] + chips.map { Recorded(source: $0.source, input: .vectors($0.ring), format: $0.format) }, recordings,
            waker)
        let capture = try PCMCapture(try noise(), ring: sound, clock: clock, name: "sound-bench")
        let inputs = try InputThread(
            name: "input-bench", buttons: [], lines: [SerialReader(path: line.path, baud: 9600, ring: bytes)],
            clock: clock
        ) { _ in }
        let player = try SteppedThread(SimulatedGPS(NMEALog(nmea), into: line, start: clock.monotonic)) {
            SystemClock().monotonic
        }
        let thread = try BusThread(name: "bus-bench", devices: Self.devices(chips, bus), clock: clock)
        sleep(4)
        let before = read()
        sleep(UInt32(Self.length))
        let after = read()
        thread.stop()
        inputs.stop()
        capture.stop()
        player.stop()
        waker.stop()
        recording.join()
        return figures(from: before, to: after)
    }

    // MARK: Parts

    private static func devices(_ chips: [Chip], _ bus: MeteredBus) throws -> [any PolledDevice] {
        try chips.map { chip in
            SampledDevice(
                sensor: try chip.entry.make(bus, "i2c-1", ChipSettings(rate: chip.rate)), ring: chip.ring,
                counters: chip.counters, clock: { SystemClock().monotonic }, start: SystemClock().monotonic)
        }
    }

    private func source(_ kind: MeasureKind, _ channels: [Channel], _ rate: Double) -> SourceDescription {
        SourceDescription(
            kind: kind, device: "bench", location: "bench", channels: channels, nominalRate: rate, fullScale: 1)
    }

    /// As the agent's recorder once it runs steadily, no priority.
    private func recordThread(
        _ sources: [Recorded], _ folder: RecordingFolder, _ waker: Waker
    ) throws -> NamedThread {
        let clock = SystemClock()
        let anchor = ClockAnchor(
            monotonic: clock.monotonic, instant: clock.now, source: .kernel, uncertainty: .milliseconds(1))
        return try NamedThread(name: "record-bench") { [looks] in
            let recorders = sources.compactMap { recorded in
                try? MeasureConfiguration(identifier: recorded.source.kind.rawValue, format: recorded.format).recorder(
                    of: recorded.input, source: recorded.source, origin: LoadBench.origin, folder: folder)
            }
            while !waker.isStopping {
                waker.wait(atMost: RecorderPace.steady)
                looks.add()
                for recorder in recorders { _ = recorder.drain(at: clock.monotonic, anchors: [anchor]) }
            }
            for recorder in recorders { _ = recorder.stop(at: clock.monotonic, anchors: [anchor]) }
        }
    }

    private func noise() throws -> PCMParameters {
        var random = SplitMix(state: 9)
        let frames = (0..<16_000 * 40).flatMap { _ in
            let value = Int16(truncatingIfNeeded: random.next() % 2000) - 1000
            return [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
        }
        let path = folder + "/noise.raw"
        try File(path, .replace).write(frames, at: 0)
        return PCMParameters(
            device: "bench", configuration: ALSAConfiguration.filePlugin(name: "bench", infile: path), rate: 16_000,
            pacing: .byClock)
    }

    // MARK: Figures

    private func read() -> Reading {
        var reading = Reading(
            time: clock.monotonic, simulation: bus.simulation,
            bursts: chips.reduce(0) { $0 + $1.counters.read / $1.watermark }, looks: looks.all)
        guard let tasks = opendir("/proc/self/task") else { return reading }
        defer { closedir(tasks) }
        while let entry = readdir(tasks) {
            let id = withUnsafeBytes(of: &entry.pointee.d_name) { name in
                String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
            }
            let name = Self.text("/proc/self/task/\(id)/comm").filter { !$0.isNewline }
            guard Self.names.contains(name) else { continue }
            let nanoseconds = Self.text("/proc/self/task/\(id)/schedstat").split(separator: " ").first.flatMap {
                Double($0)
            }
            reading.processor[name] = (nanoseconds ?? 0) / 1e9
            let line = Self.text("/proc/self/task/\(id)/status").split(separator: "\n").first {
                $0.hasPrefix("voluntary_ctxt_switches")
            }
            reading.wakeUps[name] = line?.split(whereSeparator: \.isWhitespace).last.flatMap { Int($0) } ?? 0
        }
        return reading
    }

    private static func text(_ path: String) -> String {
        let file = open(path, O_RDONLY)
        guard file >= 0 else { return "" }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(file, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    private func figures(from before: Reading, to after: Reading) -> [Figure] {
        let seconds = (after.time - before.time).seconds
        var figures: [Figure] = []
        var (sum, turns) = (0.0, 0.0)
        for name in Self.names {
            var spent = (after.processor[name] ?? 0) - (before.processor[name] ?? 0)
            if name == "bus-bench" { spent -= Double(after.simulation.processor - before.simulation.processor) / 1e9 }
            let percent = spent / seconds * 100
            let rate = Double((after.wakeUps[name] ?? 0) - (before.wakeUps[name] ?? 0)) / seconds
            sum += percent
            if name != "record-bench" { turns += rate }
            let part = name.split(separator: "-")[0]
            figures.append(
                Figure(name: "reference load in real time, processor, \(part)", value: percent, unit: "% of a core"))
            figures.append(Figure(name: "reference load in real time, wake-ups, \(part)", value: rate, unit: "1/s"))
        }
        // What the recorder's thread waits for beyond its own looks is the disk.
        turns += Double(after.looks - before.looks) / seconds
        // The pace of the chips, and the receiver's one epoch a second.
        let floor = Double(after.bursts - before.bursts) / seconds + 1
        figures.append(
            Figure(name: "reference load in real time, processor", value: sum, unit: "% of a core", limit: 2))
        figures.append(
            Figure(
                name: "reference load in real time, wake-ups", value: turns, unit: "1/s",
                ratio: (turns / floor, "one per watermark, sample and epoch")))
        figures.append(
            Figure(
                name: "reference load in real time, wake-ups above the chips' own", value: turns - floor, unit: "1/s",
                limit: 3))
        figures.append(
            Figure(
                name: "reference load in real time, lost", value: Double(chips.reduce(0) { $0 + $1.counters.lost }),
                unit: "count", limit: 0))
        return figures
    }
}
