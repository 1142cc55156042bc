// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import FuzzDice
import Glibc
import SystemKit

/// Whole recordings of every format that studyd writes, with a gap in each that can show one, and
/// their descriptions; made by our own recorders from the same numbers every time.
struct DamageCorpus {
    struct Item: Sendable {
        /// `axes3`, `levels`: what the tables of results call it.
        let label: String
        /// The name of its file; that of its description has `json` for what is
        /// behind the first dot.
        let name: String
        let content: [UInt8]
        let description: [UInt8]

        var stem: String { String(name.prefix { $0 != "." }) }
        /// `cwa`, `csv.gz`.
        var ending: String { String(name.dropFirst(stem.count + 1)) }
    }

    let items: [Item]

    /// Makes them in a folder that is empty afterwards.
    init(folder: String) throws {
        var items: [Item] = []
        for sample in Self.samples {
            let recordings = try RecordingFolder(folder)
            let recorder = try MeasureConfiguration(
                identifier: sample.source.kind.rawValue, format: sample.format, bodyLocation: "wrist",
                calibration: sample.format == .levels ? 94 : nil
            ).recorder(of: Self.input(sample), source: sample.source, origin: Self.origin, folder: recordings)
            let sealed = recorder.stop(at: .zero + .seconds(300), anchors: [Self.anchor])
            guard let made = sealed.first, sealed.count == 1 else { throw FuzzFault.desk(sample.label) }
            items.append(
                Item(
                    label: sample.label, name: made.description.relativePath, content: try Self.bytes(made.path),
                    description: try Self.bytes(made.descriptionPath)))
            try recordings.remove(made)
            unlink("\(folder)/next-number")
        }
        rmdir(folder)
        self.items = items
    }

    /// Puts them into a folder, each in one of its label's name: for other programs to look at.
    static func write(to folder: String) throws {
        _ = try DiskFolder(creating: folder)
        for item in try DamageCorpus(folder: "\(folder)/making").items {
            _ = try DiskFolder(creating: "\(folder)/\(item.label)")
            try File("\(folder)/\(item.label)/\(item.name)", .replace).write(item.content, at: 0)
            try File("\(folder)/\(item.label)/\(item.stem).json", .replace).write(item.description, at: 0)
        }
    }

    private struct Sample {
        let label: String
        let format: RecordingFormat
        let source: SourceDescription
    }

    private static let origin = RecordingOrigin(
        study: "damage", participant: "p 1", deviceID: 77, bootID: "a",
        zone: Zone(fixed: 3600, identifier: "Europe/Berlin", abbreviation: "CET"), software: "studyd 0")
    private static let anchor = ClockAnchor(
        monotonic: .zero + .seconds(100), instant: Instant(seconds: 1_795_251_600), source: .kernel,
        uncertainty: .milliseconds(5))

    private static var samples: [Sample] {
        func source(_ kind: MeasureKind, _ channels: [Channel], _ rate: Double, _ range: Double = 8)
            -> SourceDescription
        {
            SourceDescription(
                kind: kind, device: "chip", location: "bus", channels: channels, nominalRate: rate, fullScale: range)
        }
        let (fine, coarse) = (Channel.acceleration(scale: 0.000_061), Channel.acceleration(scale: 1 / 256))
        let pcm = [Channel(name: "sound", unit: .pcm, scale: 1.0 / 32_768)]
        let text = [Channel(name: "nmea", unit: .text, scale: 1)]
        return [
            .init(label: "cwa-axes3", format: .cwa, source: source(.accelerometer, fine, 100, 2)),
            .init(label: "cwa-packed3", format: .cwa, source: source(.accelerometer, coarse, 100)),
            .init(
                label: "cwa-axes6", format: .cwa,
                source: source(.accelerometer, Channel.rotation(scale: 0.07) + fine, 104)),
            .init(label: "cwa-resampled", format: .cwa, source: source(.accelerometer, fine, 119, 2)),
            .init(
                label: "csv-field", format: .csv,
                source: source(.magnetometer, Channel.magneticField(scale: 0.15), 10, 1200)),
            .init(label: "csv-levels", format: .levels, source: source(.sound, pcm, 1000, 1)),
            .init(
                label: "csv-events", format: .events,
                source: source(.buttons, [Channel(name: "button", unit: .text, scale: 1)], 1, 0)),
            .init(label: "flac", format: .flac, source: source(.sound, pcm, 1000, 1)),
            .init(label: "nmea", format: .nmea, source: source(.position, text, 1, 0)),
        ]
    }

    private static func input(_ sample: Sample) -> RecorderInput {
        switch sample.format {
        case .flac, .levels: .sound(sound())
        case .nmea: .bytes(sentences())
        default: .vectors(vectors(sample.source))
        }
    }

    /// Half a minute, two seconds of which are missing.
    private static func vectors(_ source: SourceDescription) -> FrameRing<VectorFrame> {
        let ring = FrameRing(capacity: 4096, repeating: VectorFrame(values: .zero, count: 6))
        var dice = Dice(seed: 11)
        let (count, half, gap) = (
            Int(20 * source.nominalRate), Int(10 * source.nominalRate), Int(2 * source.nominalRate)
        )
        for index in 0..<count {
            var values = SIMD8<Int32>()
            for axis in 0..<source.channels.count { values[axis] = Int32(dice.below(400) - 200) }
            let time = 100 + Double(index + (index < half ? 0 : gap)) / source.nominalRate
            ring.push(
                VectorFrame(
                    values: values, count: UInt8(source.channels.count),
                    time: MonotonicTime(nanoseconds: Int64(time * 1e9)), isStamped: true,
                    lostBefore: index == half ? UInt32(gap) : 0, reason: index == half ? .chipOverrun : nil))
        }
        return ring
    }

    private static func sound() -> FrameRing<SoundFrame> {
        let ring = FrameRing(capacity: 256, repeating: SoundFrame(time: .zero))
        var dice = Dice(seed: 12)
        for piece in 0..<150 {
            var frame = SoundFrame(time: .zero + .milliseconds(100_000 + 200 * piece))
            frame.count = 200
            for index in 0..<200 { frame.samples[index] = Int16(dice.below(4000) - 2000) }
            ring.push(frame)
        }
        return ring
    }

    private static func sentences() -> FrameRing<ByteFrame> {
        let ring = FrameRing(capacity: 256, repeating: ByteFrame(time: .zero))
        var dice = Dice(seed: 13)
        for second in 0..<40 {
            let time = second < 10 ? "0\(second)" : "\(second)"
            let place =
                "52\(30 + dice.below(9)).\(1000 + dice.below(8999)),N,013\(24 + dice.below(9)).\(1000 + dice.below(8999)),E"
            for body in [
                "GPRMC,0900\(time).00,A,\(place),0.1,0.0,211126,,,A",
                "GPGGA,0900\(time).00,\(place),1,08,1.0,34.0,M,44.0,M,,",
            ] {
                let sum = body.utf8.reduce(0, ^)
                let line = "$\(body)*\(sum < 16 ? "0" : "")\(String(sum, radix: 16, uppercase: true))\r\n"
                var frame = ByteFrame(time: .zero + .seconds(100 + second))
                frame.count = UInt16(line.utf8.count)
                for (index, byte) in line.utf8.enumerated() { frame.bytes[index] = byte }
                if second == 20, body.hasPrefix("GPRMC") { frame.lostBefore = 300 }
                ring.push(frame)
            }
        }
        return ring
    }

    private static func bytes(_ path: String) throws -> [UInt8] {
        let file = try File(path, .read)
        return try file.read(file.size(), at: 0)
    }
}
