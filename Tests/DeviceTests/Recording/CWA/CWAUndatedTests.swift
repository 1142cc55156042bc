// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit
import Testing

@testable import Device
@testable import Exports

/// Files of others in which blocks have no valid time: no time is made up for them.
@Suite struct CWAUndatedTests {
    private static let start = Instant(seconds: 1_795_251_600)
    /// 99 samples per second, where the file says 100.
    private static func time(_ sequence: Int) -> Instant {
        start + .nanoseconds(Int64(Double(sequence) * 80 / 99 * 1e9))
    }

    /// A file of `count` blocks, some of them with that stamp in place of their time; from `late` on stamps
    /// are `seconds` later.
    private static func file(
        _ bench: Workbench, _ count: Int = 12, undated: Range<Int>, stamp: UInt32 = 0, without missing: Int? = nil,
        late: Int? = nil, by seconds: Double = 100
    ) throws -> RecordedFile {
        let header = CWAHeader(
            hardwareType: 0x17, deviceID: 1, sessionID: 1, sensorConfig: 0, rateCode: 0x4A, start: nil, annotations: [])
        var bytes = header.bytes
        for sequence in 0..<count where sequence != missing {
            let moment = time(sequence) + .seconds(late.map { sequence >= $0 } == true ? seconds : 0)
            let dated = CWATimestamp(LocalDateTime(moment, offset: 0))
            let block = CWABlock(
                sessionID: 1, sequence: UInt32(sequence),
                time: undated.contains(sequence) ? CWATimestamp(packed: stamp, fraction: 0) : dated, packing: .axes3,
                rateCode: 0x4A, accelerometerScale: 4, values: [Int16](repeating: 0, count: 240))
            bytes += block.bytes
        }
        try bench.write("foreign.cwa", bytes)
        return try RecordedFile(bench.path + "/foreign.cwa")
    }

    /// "Unknown", "never", month 13, 31 February, day 0.
    @Test(arguments: [0, .max, 0x6B42_0000, 0x68BE_0000, 0x6880_0000] as [UInt32])
    func blocksWithoutAValidTimeAreNamed(stamp: UInt32) throws {
        let bench = Workbench()
        for (undated, problems) in [
            (0..<0, []), (0..<1, ["blocks without a valid time: 1"]), (0..<12, ["blocks without a valid time: 12"]),
        ] as [(Range<Int>, [String])] {
            let file = try Self.file(bench, undated: undated, stamp: stamp)
            #expect(try FileInspector.problems(of: file.file.path) == problems)
            let shown = try FileInspector.summary(of: file.file.path)
            #expect(shown.remarks == (undated.isEmpty ? [] : ["no valid time in \(undated.count) of 12 blocks"]))
        }
    }

    /// Before the first dated block and behind the last they are left out, between two they lie evenly.
    @Test(arguments: [
        (0..<0, 0..<12), (0..<1, 1..<12), (0..<6, 6..<12), (5..<6, 0..<12), (4..<9, 0..<12), (11..<12, 0..<11),
        (6..<12, 0..<6), (0..<12, 0..<0),
    ])
    func eachBlockHasItsOwnTimeOrIsLeftOut(undated: Range<Int>, given: Range<Int>) throws {
        let bench = Workbench()
        let file = try Self.file(bench, undated: undated)
        let timeline = try CWATimeline(file)
        var sequences: [Int] = []
        while let timed = try timeline.next() {
            let sequence = Int(timed.block.sequence)
            sequences.append(sequence)
            #expect(abs((timed.start - Self.time(sequence)).seconds) < 0.001 && timed.gap == nil)
        }
        #expect(
            sequences == Array(given) && timeline.undatedBlocks == 12 - given.count && timeline.count == given.count)
        #expect(try FileInspector.summary(of: file.file.path).lost == 0)
    }

    /// A block that is missing among them, or a clock that was set: then nothing tells where they belong.
    @Test(arguments: [(5, nil), (nil, 7), (nil, 6)] as [(Int?, Int?)])
    func betweenNeighboursThatDoNotFitTheyAreLeftOut(missing: Int?, late: Int?) throws {
        let bench = Workbench()
        let timeline = try CWATimeline(Self.file(bench, undated: 4..<7, without: missing, late: late))
        var (sequences, gaps): ([Int], [Int]) = ([], [])
        while let timed = try timeline.next() {
            sequences.append(Int(timed.block.sequence))
            if timed.gap != nil { gaps.append(Int(timed.block.sequence)) }
        }
        #expect(sequences == [0, 1, 2, 3, 7, 8, 9, 10, 11] && gaps == [7])
        #expect(timeline.undatedBlocks == (missing == nil ? 3 : 2))
    }

    @Test(arguments: [(4096, 0), (4097, 4097)]) func aLongerRunIsLeftOut(length: Int, left: Int) throws {
        let bench = Workbench()
        let timeline = try CWATimeline(Self.file(bench, length + 2, undated: 1..<length + 1))
        while try timeline.next() != nil {}
        #expect(timeline.undatedBlocks == left && timeline.count == length + 2 - left)
    }

    /// 2001 blocks of 0.8 s, which last 16 s longer by the chip's rate: 3 % are 48 s.
    @Test(arguments: [(-63.0, true), (-65, false), (0, true), (31, true), (33, false), (100, false)])
    func aRunThatNoErrorOfTheRateExplainsIsLeftOut(late: Double, isSpread: Bool) throws {
        let bench = Workbench()
        let file = try Self.file(bench, 2002, undated: 1..<2001, late: 2001, by: late)
        let timeline = try CWATimeline(file)
        while try timeline.next() != nil {}
        #expect(timeline.undatedBlocks == (isSpread ? 0 : 2000))
        let lost = try FileInspector.summary(of: file.file.path).lost
        #expect((lost > 0) == (late > 0 && !isSpread))
    }

    /// Over 101 blocks the error of the rate is as long as a block: only their numbers say that one is missing.
    @Test(arguments: [nil, 50] as [Int?]) func aBlockThatIsMissingAmongManyIsLost(missing: Int?) throws {
        let bench = Workbench()
        let file = try Self.file(bench, 120, undated: 4..<105, without: missing)
        let timeline = try CWATimeline(file)
        while try timeline.next() != nil {}
        #expect(timeline.undatedBlocks == (missing == nil ? 0 : 100))
        let lost = try FileInspector.summary(of: file.file.path).lost
        #expect((lost > 0) == (missing != nil))
    }

    @Test func anExportSaysWhatItLeavesOut() throws {
        let bench = Workbench()
        let file = try Self.file(bench, undated: 0..<2)
        var notes: [String] = []
        let lines = try bench.lines("out.csv") {
            notes = try CWACSVExporter.export(MotionSource([file]), to: $0) { _ in }
        }
        let rows = lines.filter { $0.first?.isNumber == true }
        #expect(rows.count == 800 && rows.allSatisfy { $0.hasPrefix("2026-11-21") })
        #expect(lines.last == "#undated blocks=2")
        #expect(notes == ["\(file.file.path): 2 blocks without a valid time left out"])
    }

    @Test(arguments: [ExportFormat.csv, .edf, .xdf, .sageJSON])
    func aFileOfOnlySuchBlocksIsRefusedAndAmongOthersNamed(format: ExportFormat) throws {
        let bench = Workbench()
        let empty = try Self.file(bench, undated: 0..<12)
        let thrown = #expect(throws: FileError.self) { try exported([empty], as: format, bench) }
        #expect("\(String(describing: thrown))".contains("has no block with a valid time"))
        try bench.write("empty.cwa", bench.bytes("foreign.cwa"))
        guard format != .xdf else { return }  // which has a stream for each file
        let files = try [RecordedFile(bench.path + "/empty.cwa"), Self.file(bench, undated: 0..<0)]
        #expect(try exported(files, as: format, bench).contains { $0.contains("empty.cwa: left out") })
    }

    @Test func whatIsLeftOutIsCountedOverAllFiles() throws {
        let bench = Workbench()
        let files = try [1, 2].map { number in
            _ = try Self.file(bench, undated: 0..<number, late: 0, by: Double(number) * 100)
            var bytes = try bench.bytes("foreign.cwa")
            for block in 5..<5 + number { bytes[1024 + 512 * block + 100] ^= 1 }
            try bench.write("\(number).cwa", bytes)
            return try RecordedFile("\(bench.path)/\(number).cwa")
        }
        let both = "\(files[0].file.path) and 1 more: "
        #expect(
            try exported(files, as: .csv, bench) == [
                "\(both)3 damaged blocks left out", "\(both)3 blocks without a valid time left out",
            ])
    }

    private func exported(_ files: [RecordedFile], as format: ExportFormat, _ bench: Workbench) throws -> [String] {
        try RecordingExport.run(
            files, as: format, ExportOptions(), by: .standard,
            to: { () throws(FileError) in try ExportOutput(path: bench.path + "/out") }, progress: { _ in })
    }
}
