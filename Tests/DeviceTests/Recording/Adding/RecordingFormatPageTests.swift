import SystemKit
// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Base
@testable import Device
@testable import Exports

/// The example of docs/adding/recording-format.md: compiled here, recorded, cut, recovered and looked at as every format is.
@Suite struct RecordingFormatPageTests {
    static let formats = RecordingFormats(RecordingFormats.standard.kinds + [JSONLinesFormat()])

    private static func file(_ path: String) throws -> String {
        let root = #filePath.replacing("Tests/DeviceTests/Recording/Adding/RecordingFormatPageTests.swift", with: "")
        let file = try File(root + path, .read)
        return String(decoding: try file.read(try file.size(), at: 0), as: UTF8.self)
    }

    @Test func thePageHasTheCodeThatIsCompiledHere() throws {
        let page = try Self.file("docs/adding/recording-format.md")
        let code = try Self.file("Tests/DeviceTests/Recording/Adding/JSONLinesFormat.swift")
        let blocks = page.split(separator: "```swift\n").dropFirst().compactMap { $0.split(separator: "\n```").first }
        #expect(blocks.count == 2)
        for block in blocks { #expect(code.contains(block), "\(block.prefix(60))") }
        let export = try Self.file("docs/adding/export.md")
        let exporter = try Self.file("Tests/DeviceTests/Recording/Adding/JSONLinesExporter.swift")
        let block = try #require(
            export.split(separator: "```swift\n").dropFirst().first?.split(separator: "\n```").first)
        #expect(exporter.contains(block))
    }

    @Test func oneLineInTheCatalogMakesItKnown() {
        #expect(Self.formats.names(for: .magnetometer) == ["csv", "jsonl"])
        #expect(Self.formats.format("jsonl", for: .magnetometer) == .jsonLines)
        #expect(RecordingFormats.standard.format("jsonl", for: .magnetometer) == nil)
        #expect(Self.formats.compressible.contains("application/x-ndjson"))
        #expect(Self.formats.titles == "CWA, FLAC, CSV, NMEA or JSON lines")
    }

    /// 300 samples at 10 Hz with 7 missing after 100, the last line torn by a power cut.
    @Test func aFileIsWrittenCutRecoveredAndLookedAt() throws {
        let bench = Workbench()
        let folder = try RecordingFolder(bench.path, formats: Self.formats)
        let ring = Example.vectorRing()
        let recorder = try MeasureConfiguration(identifier: "field", format: .jsonLines, syncInterval: .seconds(1))
            .recorder(of: .vectors(ring), source: Example.magnetometer, origin: Example.origin, folder: folder)
        for index in 0..<300 {
            var frame = Example.vector(Int32(index), -2, 3, at: 100 + Double(index + (index < 100 ? 0 : 7)) / 10)
            if index == 100 { (frame.lostBefore, frame.reason) = (7, LossReason.ringFull.rawValue) }
            ring.push(frame)
        }
        _ = recorder.drain(at: MonotonicTime(seconds: 131), anchors: [Example.anchor])
        let partial = try #require(recorder.openFile)
        #expect(partial == "000001-magnetometer.jsonl.partial")
        let torn = Array("{\"t\":131.0,\"v".utf8)
        try bench.write(partial, try bench.bytes(partial) + torn)
        let recovery = try folder.recover(bootID: "boot-b", zone: Example.berlin) { _ in [] }
        let sealed = try #require(recovery.sealed.first)
        #expect(
            recovery.faults.isEmpty && sealed.description.samplesStored >= 299
                && sealed.description.bytesCut == torn.count)
        #expect(sealed.description.gaps.map(\.samples) == [7])
        #expect(try FileInspector.problems(of: sealed.path, Self.formats) == [])
        #expect(try FileInspector.summary(of: sealed.path, Self.formats).format == "jsonl")

        // A copy without its description is known by its lines, but only with the format's line in the catalog.
        try bench.write("copy.jsonl", try bench.bytes("000001-magnetometer.jsonl"))
        let copy = try FileInspector.summary(of: bench.path + "/copy.jsonl", Self.formats)
        #expect(copy.stored == sealed.description.samplesStored && copy.lost == 7 && copy.format == "jsonl")
        #expect(throws: FileError.self) { try FileInspector.summary(of: bench.path + "/copy.jsonl") }
        let file = try RecordedFile(bench.path + "/copy.jsonl", Self.formats)
        #expect(throws: FileError.self) { try RecordingPlot.page(file) { _ in } }

        // What such a file becomes is one exporter and one line.
        let catalog = ExportCatalog(ExportCatalog.standard.exporters + [JSONLinesExporter()])
        #expect(catalog.formats.last == .tsv && catalog.help.last == "JSON lines: tsv")
        func export(_ format: ExportFormat, _ catalog: ExportCatalog) throws -> [String] {
            try RecordingExport.run(
                [file], as: format, ExportOptions(), by: catalog,
                to: { () throws(FileError) in try ExportOutput(path: bench.path + "/copy.tsv") },
                progress: { _ in })
        }
        #expect { try export(.tsv, .standard) } throws: { "\($0)".hasSuffix("is JSON lines, which cannot be exported") }
        #expect { try export(.csv, catalog) } throws: {
            "\($0)".hasSuffix("cannot export JSON lines as csv; choose tsv")
        }
        #expect(try export(.tsv, catalog) == [])
        let rows = String(decoding: try bench.bytes("copy.tsv"), as: UTF8.self).split(separator: "\n")
        #expect(rows.count == 1 + copy.stored && rows[0] == "uptime\tcounts")
        #expect(rows[1] == "100.000000\t0,-2,3" && rows[101].hasPrefix("110.7"), "\(rows[1]) \(rows[101])")
    }

    @Test func damageIsNamedByItsLine() throws {
        let bench = Workbench()
        try bench.write("a.jsonl", Array("{\"t\":1.0,\"v\":[1]}\n{\"t\":x}\n{\"t\":0.5,\"v\":[1]}\n{\"t\"".utf8))
        #expect(
            try FileInspector.problems(of: bench.path + "/a.jsonl", Self.formats) == [
                "line 2 is damaged", "the last line is truncated", "line 3 goes back in time",
            ])
    }

    /// RFC 4180's CSV, RFC 9639's FLAC, NMEA 0183's sentences: the first bytes by which others know them, too.
    @Test(arguments: [
        ("MD\0\0", "cwa"), ("AX\0\0", "cwa"), ("fLaC", "flac"), ("time,", nil), ("$GPR", nil),
    ]) func filesAreKnownByTheirFirstBytes(_ start: String, _ format: String?) {
        let kind = RecordingFormats.standard.kinds.first { $0.recognises(start: Array(start.utf8)) }
        #expect(kind?.format.rawValue == format)
    }

    @Test func whatCompressesWellIsNoSecret() {
        #expect(RecordingFormats.standard.compressible == ["application/x-cwa", "application/x-nmea"])
        #expect(RecordingFormats.standard.names == ["cwa", "csv", "levels", "flac", "nmea"])
        #expect(RecordingFormats.standard.format("csv", for: .buttons) == .events)
        #expect(RecordingFormats.standard.format(for: .sound) == .levels)
    }
}
