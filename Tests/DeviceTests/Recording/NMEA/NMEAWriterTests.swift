import SystemKit
// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Base
@testable import Device

@Suite struct NMEAWriterTests {
    private func record(
        _ frames: [ByteFrame], anchors: [ClockAnchor] = [Example.anchor]
    ) throws -> (text: String, counts: SampleCounts) {
        let bench = Workbench()
        let ring = FrameRing<ByteFrame>(capacity: 16_384, repeating: ByteFrame(time: .zero))
        let recorder = try MeasureConfiguration(identifier: "place", format: .nmea).recorder(
            of: .bytes(ring), source: Example.receiver, origin: Example.origin, folder: bench.folder())
        for frame in frames { ring.push(frame) }
        _ = recorder.stop(at: MonotonicTime(seconds: 500), anchors: anchors)
        let name = try #require(bench.names().first { $0.contains(".nmea") })
        return (try bench.text(name), recorder.counts)
    }

    private func sentence(_ body: String) -> String { String(decoding: NMEAFraming.bytes(body), as: UTF8.self) }

    @Test func checksumsAreThoseOfTheStandard() {
        #expect(sentence("GPRMC,,V,,,,,,,,,,N") == "$GPRMC,,V,,,,,,,,,,N*53\r\n")
    }

    @Test func oneSentencePerEpochTellsBothClocks() throws {
        let lines = [
            (100.0, sentence("GPRMC,090000.00,A,5230.0,N,01324.0,E,0.1,,211126,,,A")),
            (100.1, sentence("GPGGA,090000.00,5230.0,N,01324.0,E,1,08,1.0,40.0,M,,M,,")),
            (100.2, sentence("GPRMC,090001.00,A,5230.0,N,01324.0,E,0.1,,211126,,,A")),
            (105.0, sentence("GPRMC,,V,,,,,,,,,,N")), (106.0, sentence("GPRMC,,V,,,,,,,,,,N")),
        ]
        let (text, counts) = try record(lines.map { Example.bytes($0.1, at: $0.0) })
        let written = text.split(separator: "\r\n").map(String.init)
        #expect(written.filter { $0.hasPrefix("$PSTDY,E") }.count == 4)
        #expect(written[0] == sentence("PSTDY,E,100.000000,2026-11-21T09:00:00.000000Z").dropLast())
        #expect(written.filter { !$0.hasPrefix("$PSTDY") } == lines.map { String($0.1.dropLast()) })
        #expect(counts.stored == lines.reduce(0) { $0 + $1.1.utf8.count } && counts.totalLost == 0)
    }

    /// Also where the file before it ended within an epoch, and whether or not the sentence has a time of day.
    @Test(arguments: ["GPRMC,090000.00,A,5230.0,N,01324.0,E,0.1,,211126,,,A", "GPGSV,1,1,01,01,53,280,36"])
    func eachFileBeginsWithAnEpoch(body: String) throws {
        var writer = NMEAWriter()
        let measure = MeasureConfiguration(identifier: "place", format: .nmea)
        for number in 1...2 {
            let time = MonotonicTime(seconds: 100 + Double(number) / 10)
            let context = SegmentContext(
                number: number, source: Example.receiver, measure: measure, origin: Example.origin, start: time,
                anchor: Example.anchor)
            var out: [UInt8] = []
            try writer.begin(context, to: &out)
            for _ in 0..<2 {
                try writer.append(Example.bytes(sentence(body), at: 100 + Double(number) / 10), at: time, to: &out)
            }
            _ = try writer.finish(to: &out)
            let mark = sentence("PSTDY,E,100.\(number)00000,2026-11-21T09:00:00.\(number)00000Z")
            #expect(String(decoding: out, as: UTF8.self) == mark + sentence(body) + sentence(body))
        }
    }

    @Test func timesComeOnceTheClockIsKnown() throws {
        let frames = [Example.bytes(sentence("GPRMC,,V,,,,,,,,,,N"), at: 40)]
        let (text, _) = try record(frames)
        #expect(text.hasPrefix("$PSTDY,E,40.000000,2026-11-21T08:59:00.000000Z*"))
        let (unknown, _) = try record(frames, anchors: [])
        #expect(unknown.hasPrefix("$PSTDY,E,40.000000,*"))
    }

    @Test func aTornLineIsGivenUpAndCounted() throws {
        var late = Example.bytes(sentence("GPGLL,,,,,,V,N"), at: 101)
        late.lostBefore = 50
        let (text, counts) = try record([Example.bytes("$GPRMC,0900", at: 100), late])
        #expect(text.contains("$PSTDY,G,101.000000,61,deviceError*") && !text.contains("$GPRMC"))
        #expect(counts.lost == [.deviceError: 61] && counts.held == 0)
    }

    @Test(.enabled(if: Fixture.has("nmea/neo-m8n.log"), "needs the logs in ../shared/fixtures"))
    func arealLogStaysAsReceived() throws {
        let file = try File(try #require(Fixture.path("nmea/neo-m8n.log")), .read)
        let log = try file.read(file.size(), at: 0)
        let frames = stride(from: 0, to: log.count, by: 100).map { start in
            var frame = ByteFrame(time: MonotonicTime(seconds: 100 + Double(start) / 960))
            let part = log[start..<min(start + 100, log.count)]
            frame.count = UInt16(part.count)
            for (index, byte) in part.enumerated() { frame.bytes[index] = byte }
            return frame
        }
        let (text, _) = try record(frames)
        let kept = text.split(separator: "$PSTDY").enumerated().map { index, part in
            index == 0 && text.hasPrefix("$PSTDY") || index > 0 ? part.drop { $0 != "\r\n" }.dropFirst() : part
        }
        #expect(Array(kept.joined().utf8) == log)
    }
}
