// SPDX-License-Identifier: Apache-2.0
import SystemKit
import Testing

@testable import Base
@testable import Device

/// What `recordings verify` says of a log, and how much of it is the receiver's.
@Suite struct NMEACheckTests {
    private static let void = "GPRMC,,V,,,,,,,,,,N"

    private static func log(_ bodies: [String]) -> [UInt8] { bodies.flatMap { NMEAFraming.bytes($0) } }

    private static func check(_ content: [UInt8]) throws -> ContentCheck {
        let bench = Workbench()
        try bench.write("x.nmea", content)
        var found = ContentCheck()
        try found.checkSentences(TextLines(File(bench.path + "/x.nmea", .read), isCompressed: false))
        return found
    }

    @Test(arguments: [
        ("110.000000,2026-11-21T09:00:10Z", ""), ("110.000000,", ""), ("110.000000,soon", "damaged $PSTDY lines: 1"),
        ("90.000000,2026-11-21T08:59:50Z", "$PSTDY times going backwards: 1"),
        ("110.000000,2026-11-21T09:00:12Z", "$PSTDY times that contradict their uptimes: 1"),
    ])
    func theTwoClocksGoOnAndAlike(epoch: String, problem: String) throws {
        let content = Self.log(["PSTDY,E,100.000000,2026-11-21T09:00:00Z", Self.void, "PSTDY,E,\(epoch)", Self.void])
        #expect(try Self.check(content).problems == (problem.isEmpty ? [] : [problem]))
    }

    /// More than 64 KiB in one line are read in parts.
    @Test(arguments: [0, 65_535, 65_536, 65_537, 200_000])
    func aLongLineInTheMiddleDoesNotMakeTheLastOneTorn(count: Int) throws {
        let stretch = [UInt8](repeating: 0xB5, count: count) + [0x0A]
        let content = Self.log(["PSTDY,E,100.000000,", Self.void]) + stretch + Self.log([Self.void])
        let found = try Self.check(content)
        #expect(found.problems == [] && found.stored == content.count - Self.log(["PSTDY,E,100.000000,"]).count)
        #expect(try Self.check(Array(content.dropLast(2))).problems == ["the last line is truncated"])
    }

    /// A receiver that says 2560 bytes of its own protocol without a line end, each 64 after a pause: what is written
    /// before the second kilobyte is in the middle of a line.
    @Test func ourLineBehindABinaryMessageIsNotTheReceivers() throws {
        let bench = Workbench()
        let ring = FrameRing<ByteFrame>(capacity: 256, repeating: ByteFrame(time: .zero))
        let recorder = try MeasureConfiguration(identifier: "place", format: .nmea, syncInterval: .zero).recorder(
            of: .bytes(ring), source: Example.receiver, origin: Example.origin, folder: bench.folder())
        for index in 0..<40 {
            var frame = ByteFrame(time: MonotonicTime(seconds: 100 + 0.4 * Double(index)))
            frame.count = 64
            for place in 0..<64 { frame.bytes[place] = 0xB5 }
            ring.push(frame)
        }
        let sentence = String(decoding: Self.log([Self.void]), as: UTF8.self)
        for time in [120.0, 120.1] { ring.push(Example.bytes(sentence, at: time)) }
        _ = recorder.drain(at: MonotonicTime(seconds: 130), anchors: [Example.anchor])
        let said = 2560 + 2 * sentence.utf8.count
        let open = try #require(recorder.openFile)
        let content = try bench.bytes(open)
        let epochs = content.indices.filter { content[$0...].starts(with: "$PSTDY,E".utf8) }
        #expect(recorder.counts.stored == said && epochs.count == 3 && content[epochs[1] - 1] == 0xB5)
        #expect(try Self.check(content).stored == said)
        #expect(try FileInspector.problems(of: "\(bench.path)/\(open)") == [])
        try bench.write("copy.nmea", content)
        try bench.write("copy.nmea.gz", GzipFile.compressed(content))
        for name in [open, "copy.nmea", "copy.nmea.gz"] {
            #expect(try FileInspector.summary(of: "\(bench.path)/\(name)").stored == said, "\(name)")
        }
        let recovered = try bench.folder().recover(bootID: "boot-b", zone: Example.berlin) { _ in [] }.sealed.first
        #expect(recovered?.description.samplesStored == said)
    }

    /// Its clock became known later.
    @Test func anEpochBehindABinaryMessageGetsItsTimeToo() throws {
        let bench = Workbench()
        let name = "x.nmea"
        try bench.write(name, [0xB5, 0x62] + Self.log(["PSTDY,E,110.000000,", Self.void]))
        try NMEAFormat().retime(name, in: DiskFolder(creating: bench.path), by: Example.anchor, zone: Example.berlin)
        #expect(
            try bench.bytes(name) == [0xB5, 0x62]
                + Self.log(["PSTDY,E,110.000000,2026-11-21T09:00:10.000000Z", Self.void]))
    }
}
