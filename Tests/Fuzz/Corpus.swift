// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import FuzzDice
import Glibc
import SystemKit

/// The files that are damaged: one of each kind, a few hundred bytes to a few kilobytes.
struct Corpus {
    /// Contents, in the order of their names.
    let seeds: [[UInt8]]
    let names: [String]

    /// All files of a folder.
    init(_ path: String) throws {
        names = try DiskFolder(creating: path).names()
        seeds = try names.map { name in
            let file = try File("\(path)/\(name)", .read)
            return try file.read(min(file.size(), 1 << 16), at: 0)
        }
        guard !seeds.isEmpty else { throw FuzzFault.corpus(path) }
    }

    /// Input `number` and what is to be done with it: the same for ever as long as the seeds are.
    func input(_ number: Int) -> (bytes: [UInt8], target: FuzzTarget) {
        var dice = Dice(seed: UInt64(number) + 1)
        for _ in 0..<4 { _ = dice.next() }
        let place = dice.below(seeds.count)
        // What takes a file with its description gets one, and what takes text gets text,
        // three times of four.
        var target = FuzzTarget.allCases[dice.below(FuzzTarget.allCases.count)]
        let isPair = names[place].hasPrefix("pair")
        if isPair, dice.below(4) > 0 { target = dice.below(3) == 0 ? .recover : .described }
        if !isPair, target == .described || target == .recover, dice.below(8) > 0 { target = .show }
        if names[place].hasSuffix(".json"), !isPair, dice.below(4) > 0 { target = .description }
        if names[place].hasSuffix(".age"), dice.below(8) > 0 { target = .age }
        let other = seeds[dice.below(seeds.count)]
        return (Mutation.damaged(seeds[place], other, &dice), target)
    }
}

/// Makes the seeds with our own writers.
enum SeedMaker {
    static func make(in path: String) throws {
        let folder = "/tmp/studyd-fuzz-seeds-\(getpid())"
        _ = try DiskFolder(creating: path)
        for (name, format, source, rate) in sources {
            let recordings = try RecordingFolder(folder)
            let measure = MeasureConfiguration(identifier: "fuzz", format: format)
            let vectors = FrameRing(capacity: 4096, repeating: VectorFrame(values: .zero, count: 6))
            let sounds = FrameRing(capacity: 64, repeating: SoundFrame(time: .zero))
            let serial = FrameRing(capacity: 64, repeating: ByteFrame(time: .zero))
            fill(vectors, sounds, serial, rate)
            let input: RecorderInput =
                switch format {
                case .flac, .levels: .sound(sounds)
                case .nmea: .bytes(serial)
                default: .vectors(vectors)
                }
            let recorder = try measure.recorder(of: input, source: source, origin: origin, folder: recordings)
            guard let sealed = recorder.stop(at: .zero + .seconds(110), anchors: [anchor]).first else { continue }
            let (content, description) = (try bytes(sealed.path), try bytes(sealed.descriptionPath))
            try File("\(path)/\(name)", .replace).write(content, at: 0)
            try File("\(path)/pair-\(name)", .replace).write(description + [0x0A] + content, at: 0)
            if name.hasSuffix(".gz") {
                // Damage hardly gets through gzip, so the text is there as well.
                let text = try GzipFile.contents(File(sealed.path, .read), limit: 1 << 16)
                try File("\(path)/\(name.dropLast(3))", .replace).write(text, at: 0)
                let plain = String(decoding: description, as: UTF8.self).split(separator: ".csv.gz").joined(
                    separator: ".csv")
                try File("\(path)/pair-\(name.dropLast(3))", .replace).write(
                    Array(plain.utf8) + [0x0A] + text, at: 0)
            }
            if format == .cwa { try File("\(path)/\(name).json", .replace).write(description, at: 0) }
            try recordings.remove(sealed)
            // Every seed is recording 1.
            unlink("\(folder)/next-number")
        }
        try File("\(path)/tone.wav", .replace).write(wave, at: 0)
        var dice = Dice(seed: 1)
        let random = { (count: Int) in (0..<count).map { _ in UInt8(dice.below(256)) } }
        let stranger = AgeIdentity(secret: random(32)).map(\.recipient)
        for (name, count) in [("empty.age", 0), ("short.age", 300)] {
            let to = [stranger].compactMap(\.self) + FuzzDesk.identities.map(\.recipient)
            try File("\(path)/\(name)", .replace).write(AgeWriter.encrypt(random(count), to: to, random: random), at: 0)
        }
        rmdir(folder)
    }

    private static let origin = RecordingOrigin(
        study: "fuzz", participant: "p", deviceID: 1, bootID: "a",
        zone: Zone(fixed: 3600, identifier: "Europe/Berlin", abbreviation: "CET"))
    private static let anchor = ClockAnchor(
        monotonic: .zero + .seconds(100), instant: Instant(seconds: 1_795_251_600), source: .kernel,
        uncertainty: .milliseconds(5))

    private static var sources: [(String, RecordingFormat, SourceDescription, Int)] {
        func source(_ kind: MeasureKind, _ channels: [Channel], _ rate: Int) -> SourceDescription {
            SourceDescription(
                kind: kind, device: "chip", location: "bus", channels: channels, nominalRate: Double(rate), fullScale: 8
            )
        }
        let (fine, coarse) = (Channel.acceleration(scale: 0.001), Channel.acceleration(scale: 1 / 256))
        let pcm = [Channel(name: "level", unit: .pcm, scale: 1)]
        let text = [Channel(name: "sentences", unit: .text, scale: 1)]
        return [
            ("axes3.cwa", .cwa, source(.accelerometer, fine, 100), 100),
            ("packed3.cwa", .cwa, source(.accelerometer, coarse, 100), 100),
            ("axes6.cwa", .cwa, source(.accelerometer, fine + Channel.rotation(scale: 0.0175), 100), 100),
            ("field.csv.gz", .csv, source(.magnetometer, Channel.magneticField(scale: 0.1), 10), 10),
            ("buttons.csv.gz", .events, source(.buttons, [Channel(name: "button", unit: .text, scale: 1)], 1), 10),
            ("levels.csv.gz", .levels, source(.sound, pcm, 1000), 1000),
            ("tone.flac", .flac, source(.sound, pcm, 1000), 1000),
            ("receiver.nmea", .nmea, source(.position, text, 1), 1),
        ]
    }

    private static func fill(
        _ vectors: FrameRing<VectorFrame>, _ sounds: FrameRing<SoundFrame>, _ serial: FrameRing<ByteFrame>, _ rate: Int
    ) {
        for index in 0..<min(3 * rate, 280) {
            let time = MonotonicTime(nanoseconds: 100_000_000_000 + Int64(index) * 1_000_000_000 / Int64(rate))
            vectors.push(
                VectorFrame(
                    values: [Int32(index), -500, 1000, 10, 20, 30, 0, 0], count: 6, time: time, isStamped: true,
                    lostBefore: index == 200 ? 40 : 0, reason: index == 200 ? .chipOverrun : nil))
        }
        for piece in 0..<20 {
            var frame = SoundFrame(time: .zero + .milliseconds(100_000 + 200 * piece))
            frame.count = 200
            for index in 0..<200 { frame.samples[index] = Int16((index * 37 + piece) % 400 - 200) }
            sounds.push(frame)
        }
        for (second, line) in sentences.enumerated() {
            var frame = ByteFrame(time: .zero + .seconds(100 + second))
            frame.count = UInt16(line.utf8.count)
            for (index, byte) in line.utf8.enumerated() { frame.bytes[index] = byte }
            serial.push(frame)
        }
    }

    /// Sentences with right checksums.
    private static var sentences: [String] {
        let bodies = (0..<4).flatMap { second in
            [
                "GPRMC,09000\(second).00,A,5230.0000,N,01324.000\(second),E,0.1,0.0,211126,,,A",
                "GPGGA,09000\(second).00,5230.0000,N,01324.000\(second),E,1,08,1.0,34.0,M,44.0,M,,",
                "GPGSA,A,3,01,02,03,04,05,06,07,08,,,,,1.8,1.0,1.5", "GPZDA,09000\(second).00,21,11,2026,00,00",
            ]
        }
        return bodies.map { body in
            let sum = body.utf8.reduce(0, ^)
            return "$\(body)*\(sum < 16 ? "0" : "")\(String(sum, radix: 16, uppercase: true))\r\n"
        }
    }

    private static var wave: [UInt8] {
        func little(_ value: Int, _ width: Int) -> [UInt8] {
            (0..<width).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        let samples = (0..<200).flatMap { little($0 * 100, 2) }
        let format = little(1, 2) + little(1, 2) + little(8000, 4) + little(16_000, 4) + little(2, 2) + little(16, 2)
        let parts =
            Array("WAVEfmt ".utf8) + little(16, 4) + format + Array("data".utf8) + little(samples.count, 4) + samples
        return Array("RIFF".utf8) + little(parts.count, 4) + parts
    }

    private static func bytes(_ path: String) throws -> [UInt8] {
        let file = try File(path, .read)
        return try file.read(file.size(), at: 0)
    }
}
