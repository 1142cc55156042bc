// SPDX-License-Identifier: Apache-2.0
import Foundation
import SystemKit
import Testing

@testable import Agent
@testable import Base
@testable import Device
@testable import Study

/// A recorder's recording is several files where the clock was put right, or a gap was too long: its log in the
/// archive is of all of them. What is packed is read by `unzip` and Python's `json`.
@Suite struct RequestPackerTests {
    /// 2026-11-21T09:00:00Z at 100 s after booting.
    private static let anchor = ClockAnchor(
        monotonic: MonotonicTime(seconds: 100), instant: Instant(seconds: 1_795_251_600), source: .kernel,
        uncertainty: .milliseconds(5))
    private static let origin = RecordingOrigin(
        study: "s1", participant: nil, deviceID: 12, bootID: "boot-a", zone: .utc)
    private let path = "/tmp/studyd-parts-\(getpid())-\(UInt64.random(in: 0...UInt64.max))"

    private func source(_ kind: MeasureKind, _ channel: Channel, rate: Double) -> SourceDescription {
        SourceDescription(
            kind: kind, device: "test", location: "none", channels: [channel], nominalRate: rate, fullScale: 0)
    }

    private func name(_ recorder: any SampleRecorder, at end: Double) throws -> String {
        let sealed = recorder.stop(at: MonotonicTime(seconds: end), anchors: [Self.anchor])
        return try #require(sealed.first).description.relativePath
    }

    /// A fix a second (NMEA 0183: RMC, GGA, GSA), from that second of the boot on.
    private func fixes(_ seconds: Range<Int>) throws -> String {
        let ring = FrameRing<ByteFrame>(capacity: 64, repeating: ByteFrame(time: .zero))
        let recorder = try MeasureConfiguration(identifier: "way", format: .nmea).recorder(
            of: .bytes(ring), source: source(.position, Channel(name: "sentences", unit: .text, scale: 1), rate: 1),
            origin: Self.origin, folder: RecordingFolder(path))
        for second in seconds {
            let time = "0900\(second - 100 < 10 ? "0" : "")\(second - 100).00"
            let place = "5230.\(1000 + second),N,01324.5000,E"
            for body in [
                "GPRMC,\(time),A,\(place),3.60,0.0,211126,,,A", "GPGGA,\(time),\(place),1,08,1.2,35.5,M,44.0,M,,",
                "GPGSA,A,3,01,02,03,04,05,06,07,08,,,,,2.0,1.2,1.6",
            ] {
                let sum = String(body.utf8.reduce(0, ^), radix: 16, uppercase: true)
                var frame = ByteFrame(time: MonotonicTime(seconds: Double(second)))
                for byte in "$\(body)*\(sum.count < 2 ? "0" : "")\(sum)\r\n".utf8 {
                    frame.bytes[Int(frame.count)] = byte
                    frame.count += 1
                }
                ring.push(frame)
            }
        }
        return try name(recorder, at: Double(seconds.upperBound))
    }

    /// Two seconds of sound.
    private func sound(at start: Double) throws -> String {
        let ring = FrameRing<SoundFrame>(capacity: 256, repeating: SoundFrame(time: .zero))
        let recorder = try MeasureConfiguration(identifier: "sound", format: .flac).recorder(
            of: .sound(ring), source: source(.sound, Channel(name: "level", unit: .pcm, scale: 1), rate: 16_000),
            origin: Self.origin, folder: RecordingFolder(path))
        for block in 0..<125 {
            var frame = SoundFrame(time: MonotonicTime(seconds: start + Double(block) * 0.016))
            frame.count = 256
            for place in 0..<256 { frame.samples[place] = 16_384 }
            ring.push(frame)
        }
        return try name(recorder, at: start + 10)
    }

    /// The uptimes of a log's records, as an archive has them.
    private func uptimes(_ files: [String], _ form: RecordedPart.Form) throws -> String {
        var request = WireRequest(method: "POST", url: "http://x", headers: [], body: [])
        request.archive = WireArchive(written: LocalDateTime(Instant(seconds: 1_800_000_000), offset: 0)) { _ in
            [.init("log.json", .recorded(RecordedPart(files: files, form: form, marks: [], end: 1_000)))]
        }
        let zip = path + "/a.zip"
        try AtomicFile.write(RequestPacker(folder: path).packed(request).body, to: zip)
        let script = "import json, sys; print(*[round(x['uptime'], 3) for x in json.load(sys.stdin)])"
        return try Damage.output("/bin/sh", "-c", "unzip -p \(zip) log.json | python3 -c \"\(script)\"")
    }

    @Test func theWayGoesOnInTheNextFile() throws {
        defer { Damage.remove(path) }
        let files = try [fixes(100..<103), fixes(110..<112)]
        let form = RecordedPart.Form.track(withPlaces: true, movingIn: nil)
        #expect(try uptimes(files, form) == "100.0 101.0 102.0 110.0 111.0")
        #expect(try uptimes([files[0]], form) == "100.0 101.0 102.0")
    }

    @Test func levelsGoOnInTheNextFile() throws {
        defer { Damage.remove(path) }
        let files = try [sound(at: 100), sound(at: 103.5)]
        #expect(try uptimes(files, .levels) == "101.0 102.0 104.5 105.5", "the end of each second")
    }
}
