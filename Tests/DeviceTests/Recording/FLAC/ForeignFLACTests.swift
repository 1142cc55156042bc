// SPDX-License-Identifier: Apache-2.0
import Glibc
import SystemKit
import Testing

@testable import Base
@testable import Device
@testable import Exports

/// FLAC that the reference program made, of every width and number of channels, whole and damaged.
@Suite(
    .enabled(
        if: access("/usr/bin/flac", X_OK) == 0 && access("/usr/bin/metaflac", X_OK) == 0, "needs flac and metaflac"))
struct ForeignFLACTests {
    private func system(test command: String) -> Int32 { Glibc.system(command) }

    /// Raw sound, little-endian, of `bits` bits, and the file that `flac` makes of it.
    private func encode(_ bench: Workbench, bits: Int, channels: Int, frames: Int, rate: Int = 8000) throws -> [UInt8] {
        var noise = Noise(seed: UInt64(bits * channels))
        var raw: [UInt8] = []
        let half = 1 << (bits - 2)
        for index in 0..<frames * channels {
            let value = Int(Double(half) * sin(Double(index) / 31)) + Int.random(in: -9...9, using: &noise)
            for byte in 0..<bits / 8 { raw.append(UInt8(truncatingIfNeeded: value >> (8 * byte))) }
        }
        try bench.write("in.raw", raw)
        let command =
            "flac -s -f --force-raw-format --endian=little --sign=signed --bps=\(bits) --channels=\(channels) "
            + "--sample-rate=\(rate) --blocksize=1024 -o '\(bench.path)/in.flac' '\(bench.path)/in.raw' 2>/dev/null"
        #expect(system(test: command) == 0)
        return raw
    }

    @Test(arguments: [(16, 1), (16, 2), (24, 1), (24, 2), (16, 6), (24, 8), (8, 1)])
    func everySampleComesOutAsItWentIn(bits: Int, channels: Int) throws {
        let bench = Workbench()
        let raw = try encode(bench, bits: bits, channels: channels, frames: 20_000)
        let source = try RecordedFile("\(bench.path)/in.flac")
        let bytes = try bench.exported("out.wav") {
            _ = try WAVExporter.export([source], window: .all, to: $0) { _ in }
        }
        if bits > 8 {
            #expect(bytes.suffix(raw.count).elementsEqual(raw))
        } else {
            #expect(raw.indices.allSatisfy { bytes[bytes.count - 2 * raw.count + 2 * $0 + 1] == raw[$0] })
        }
        let summary = try FileInspector.summary(of: source.file.path).text
        #expect(summary.contains("\(bits) bits, \(channels) channels") && summary.contains("20000 samples"))
        #expect(try SoundPlot().page(source, in: nil) { _ in }.panels.count == 2)
        guard access("/usr/bin/ffmpeg", X_OK) == 0 else { return print("SKIPPED: ffmpeg is not there") }
        // Another decoder of WAV finds the same as the decoder of FLAC itself.
        let width = bits > 16 ? 24 : 16
        for name in ["out.wav", "in.flac"] {
            let to = "-f s\(width)le -c:a pcm_s\(width)le '\(bench.path)/\(name).raw'"
            #expect(system(test: "ffmpeg -v error -y -i '\(bench.path)/\(name)' \(to)") == 0)
        }
        #expect(try bench.bytes("out.wav.raw") == bench.bytes("in.flac.raw"))
    }

    /// RIFF (Microsoft and IBM, 1991): a chunk of an odd length is followed by a byte that it does not count.
    @Test func anOddLengthIsPadded() throws {
        let bench = Workbench()
        let raw = try encode(bench, bits: 24, channels: 1, frames: 2_001)
        let source = try RecordedFile("\(bench.path)/in.flac")
        let bytes = try bench.exported("out.wav") {
            _ = try WAVExporter.export([source], window: .all, to: $0) { _ in }
        }
        #expect(bytes.count % 2 == 0 && Int(bytes.uint32(4)) == bytes.count - 8 && bytes.last == 0)
        #expect(bytes.dropLast().suffix(raw.count).elementsEqual(raw))
        #expect(Int(bytes.uint32(bytes.count - 1 - raw.count - 4)) == raw.count)
    }

    @Test func soundBehindADamagedFrameKeepsItsTime() throws {
        let bench = Workbench()
        let raw = try encode(bench, bits: 24, channels: 2, frames: 20_000)
        var flac = try bench.bytes("in.flac")
        for place in 0..<40 { flac[flac.count / 2 + place] ^= 0xA5 }
        try bench.write("torn.flac", flac)
        let source = try RecordedFile("\(bench.path)/torn.flac")
        var damage = WAVExporter.Damage()
        let bytes = try bench.exported("out.wav") {
            damage = try WAVExporter.export([source], window: .all, to: $0) { _ in }
        }
        #expect(!damage.damaged.isEmpty && damage.silence > 0 && damage.silence <= 2 * 1024.0 / 8000)
        var notes: [String] = []
        _ = try bench.exported("noted.wav") {
            notes = try WAVExporter().export([source], ExportOptions(), to: $0) { _ in }
        }
        #expect(notes.contains { $0.contains("damaged frames are silence in the export") }, "\(notes)")
        let sound = Array(bytes.suffix(raw.count))
        #expect(sound.count == raw.count && Int(bytes.uint32(4)) == bytes.count - 8)
        #expect(sound.suffix(raw.count / 3).elementsEqual(raw.suffix(raw.count / 3)))
        #expect(sound.prefix(raw.count / 3).elementsEqual(raw.prefix(raw.count / 3)))
        let summary = try FileInspector.summary(of: source.file.path)
        #expect(summary.lost > 0 && summary.stored + summary.lost == 20_000)
    }

    /// Where the frames begin: behind the metadata block with the highest bit set (RFC 9639, 8.1).
    private func frames(of flac: [UInt8]) -> ArraySlice<UInt8> {
        var (place, isLast) = (4, false)
        while !isLast {
            isLast = flac[place] & 0x80 != 0
            place += 4 + Int(flac[place + 1]) << 16 + Int(flac[place + 2]) << 8 + Int(flac[place + 3])
        }
        return flac[place...]
    }

    @Test(arguments: [(16, 1, 16_000), (24, 1, 8000), (16, 2, 8000)])
    func framesOfAnotherFormAreNamedAndNotExportedAsOne(bits: Int, channels: Int, rate: Int) throws {
        let bench = Workbench()
        _ = try encode(bench, bits: bits, channels: channels, frames: 5000, rate: rate)
        let others = try frames(of: bench.bytes("in.flac"))
        _ = try encode(bench, bits: 16, channels: 1, frames: 5000)
        #expect(try FileInspector.problems(of: bench.path + "/in.flac") == [])
        var both = try bench.bytes("in.flac") + others
        // The number of samples is not known: libFLAC stops behind a known one.
        both[21] &= 0xF0
        for place in 22...25 { both[place] = 0 }
        try bench.write("two.flac", both)
        let source = try RecordedFile("\(bench.path)/two.flac")
        let problems = try FileInspector.problems(of: source.file.path).joined(separator: "; ")
        let change = "its frames change from 8000 per second, 1 channel, 16 bits to \(rate) per second"
        #expect(problems.contains(change), "\(problems)")
        #expect {
            _ = try bench.exported("out.wav") { _ = try WAVExporter.export([source], window: .all, to: $0) { _ in } }
        } throws: {
            "\($0)".contains(change)
        }
    }

    /// In place of the first frame a torn one, and one of silence of two channels.
    @Test func theFormIsThatOfTheFirstWholeFrame() throws {
        let bench = Workbench()
        let raw = try encode(bench, bits: 16, channels: 1, frames: 5000)
        let flac = try bench.bytes("in.flac")
        let own = Array(frames(of: flac))
        // The second frame's header has the number 1 (RFC 9639, 9.1.5).
        let mark = Array(own[..<4]) + [1]
        let second = try #require((1..<own.count - 5).first { Array(own[$0..<$0 + 5]) == mark })
        let silence: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xF8, 0xA4, 0x18, 0, 0x96, 0, 0, 0, 0, 0, 0, 0x8E, 0xBD]
        let start = Array(flac.dropLast(own.count)) + silence
        try bench.write("torn.flac", start + own[second...])
        let source = try RecordedFile("\(bench.path)/torn.flac")
        let summary = try FileInspector.summary(of: source.file.path)
        #expect(summary.stored == 5000 - 1024 && summary.lost == 1024)
        #expect(summary.remarks.first == "16 bits, 1 channels")
        let bytes = try bench.exported("out.wav") {
            _ = try WAVExporter.export([source], window: .all, to: $0) { _ in }
        }
        #expect(bytes.count == 44 + raw.count && bytes.dropFirst(44).prefix(2048).allSatisfy { $0 == 0 })
        #expect(bytes.suffix(raw.count - 2048).elementsEqual(raw.dropFirst(2048)))
        // Silence alone is exported, too.
        try bench.write("silence.flac", start)
        let silent = try RecordedFile("\(bench.path)/silence.flac")
        let rest = try bench.exported("rest.wav") {
            _ = try WAVExporter.export([silent], window: .all, to: $0) { _ in }
        }
        #expect(rest.count == 44 + 4 * 1024 && rest.dropFirst(44).allSatisfy { $0 == 0 })
    }

    /// STREAMINFO (RFC 9639, 8.2): three bits of channels and five of width behind the 20 of the rate.
    @Test(arguments: [(18, UInt8(0x10), "rate"), (20, 0x02, "number of channels"), (20, 0x01, "width")])
    func aHeaderThatItsFramesContradictIsNamed(place: Int, change: UInt8, name: String) throws {
        let bench = Workbench()
        _ = try encode(bench, bits: 16, channels: 1, frames: 5000)
        var flac = try bench.bytes("in.flac")
        flac[place] ^= change
        try bench.write("in.flac", flac)
        let problems = try FileInspector.problems(of: bench.path + "/in.flac").joined(separator: "; ")
        #expect(problems.contains("its header's \(name) differs from its frames"), "\(problems)")
    }

    @Test func ourFilesSayWhenTheyBeganAndByWhichDevice() throws {
        let bench = Workbench()
        let sealed = try bench.sound(tone(20_000), as: .flac)
        #expect(system(test: "flac -t -s -w '\(sealed.path)'") == 0)
        let tags = "\(bench.path)/tags"
        #expect(system(test: "metaflac --export-tags-to='\(tags)' '\(sealed.path)'") == 0)
        let lines = try bench.text("tags").split(separator: "\n")
        #expect(lines.contains("DATE=2026-11-21T10:00:00.000000+01:00") && lines.contains("DEVICE=mic at hw:CARD=mic"))
        #expect(lines.contains("CALIBRATION_DB=100.00") && lines.contains("PARTICIPANT=p7"))
        #expect(sealed.description.startDate == "2026-11-21T10:00:00.000000+01:00")
    }

    @Test func aFileBegunBeforeTheClockWasKnownGetsItsDate() throws {
        let bench = Workbench()
        let ring = FrameRing<SoundFrame>(capacity: 4096, repeating: SoundFrame(time: .zero))
        let recorder = try MeasureConfiguration(identifier: "memo", format: .flac).recorder(
            of: .sound(ring), source: Example.microphone, origin: Example.origin, folder: bench.folder())
        ring.push(Example.sound([Int16](repeating: 3, count: 256), at: 90))
        #expect(recorder.drain(at: MonotonicTime(seconds: 95), anchors: []).isEmpty)
        let sealed = try #require(recorder.stop(at: MonotonicTime(seconds: 101), anchors: [Example.anchor]).first)
        #expect(
            system(test: "metaflac --show-tag=DATE '\(sealed.path)' | grep -q 'DATE=2026-11-21T09:59:50.000000+01:00'")
                == 0)
        #expect(system(test: "flac -t -s -w '\(sealed.path)'") == 0)
        #expect(try FileDigest.sha256(of: File(sealed.path, .read)) == sealed.sha256)
    }
}
