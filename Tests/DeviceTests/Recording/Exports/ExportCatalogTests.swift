import SystemKit
// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Device
@testable import Exports

/// Every content with every format: one exporter writes it, or it is refused with what is possible.
@Suite struct ExportCatalogTests {
    private static let catalog = ExportCatalog.standard
    /// What the specification of each format begins with.
    private static let begins: [ExportFormat: [String]] = [
        .csv: ["#", "time,"], .gpx: ["<?xml"], .wav: ["RIFF"], .edf: ["0       "], .sageJSON: ["["],
        .bids: ["onset\tduration\t"], .xdf: ["XDF:"],
    ]

    /// A recording of each content, by its content. Of tables, presses for `bids` and `edf`.
    private static func file(_ content: RecordedContent, for format: ExportFormat, _ bench: Workbench) throws -> String
    {
        switch content {
        case .motion: return try bench.motion().path
        case .table:
            return try [.bids, .edf].contains(format) ? bench.buttons().path : bench.magneticField().path
        case .sentences:
            let body = "GPRMC,090000.00,A,5230.1000,N,01324.5000,E,3.60,0.0,211126,,,A"
            let sum = String(body.utf8.reduce(0, ^), radix: 16, uppercase: true)
            try bench.write("walk.nmea", Array("$\(body)*\(sum.count < 2 ? "0" : "")\(sum)\r\n".utf8))
            return bench.path + "/walk.nmea"
        default: return try bench.sound([Int16](repeating: 100, count: 4096), as: .flac).path
        }
    }

    @Test func eachContentAndFormatHasOneExporter() {
        let pairs = Self.catalog.exporters.map { "\($0.format) of \($0.content.title)" }
        #expect(Set(pairs).count == pairs.count, "\(pairs)")
        #expect(Set(Self.catalog.formats) == Set(Self.begins.keys))
        #expect(
            Self.catalog.help == [
                "CWA motion: csv, edf, sage-json, xdf", "NMEA position: csv, gpx, sage-json, xdf", "FLAC sound: wav",
                "CSV: csv, sage-json, bids, edf, xdf",
            ])
        #expect(Set(Self.catalog.contents) == Set(RecordingFormats.standard.kinds.map(\.content)))
    }

    @Test(arguments: catalog.contents.map(\.title), catalog.formats)
    func whatTheHelpNamesIsWrittenAndAllElseIsRefused(_ title: String, _ format: ExportFormat) throws {
        let bench = Workbench()
        let content = try #require(Self.catalog.contents.first { $0.title == title })
        let path = try Self.file(content, for: format, bench)
        let target = bench.path + "/out"
        func export() throws -> [String] {
            try RecordingExport.run(
                [path], as: format, to: { () throws(FileError) in try ExportOutput(path: target) },
                progress: { _ in })
        }
        let possible = Self.catalog.formats(of: content)
        guard possible.contains(format) else {
            let list = possible.map(\.rawValue).joined(separator: ", ")
            #expect { try export() } throws: {
                "\($0)".hasSuffix("cannot export \(title) as \(format); choose \(list)")
            }
            #expect(try !bench.names().contains("out"))
            return
        }
        #expect(try export() == [])
        let text = String(decoding: try bench.bytes("out").prefix(40), as: UTF8.self)
        #expect(Self.begins[format, default: []].contains { text.hasPrefix($0) }, "\(title) as \(format): \(text)")
        if format == .csv { try Self.expectAUnitForEachColumn(String(decoding: bench.bytes("out"), as: UTF8.self)) }
    }

    /// `#units` is of the columns behind `uptime` (docs/recordings.md).
    private static func expectAUnitForEachColumn(_ table: String) throws {
        let lines = table.split(separator: "\n")
        let names = try #require(lines.first { $0.hasPrefix("time,") }).split(separator: ",").dropFirst(2)
        guard let units = lines.first(where: { $0.hasPrefix("#units ") }) else { return }
        #expect(
            units.split(separator: ",", omittingEmptySubsequences: false).count == names.count, "\(units): \(names)")
    }

    @Test func anOptionIsRefusedWhereItMeansNothing() throws {
        let bench = Workbench()
        let motion = try bench.motion().path
        var options = ExportOptions()
        options.events = motion
        let refused: [(ExportFormat, String)] = [
            (.csv, "only applies to edf of CWA motion"), (.sageJSON, "only applies"),
        ]
        for (format, words) in refused {
            #expect {
                try RecordingExport.run(
                    [motion], as: format, options,
                    to: { () throws(FileError) in try ExportOutput(path: bench.path + "/out") }, progress: { _ in }
                )
            } throws: { "\($0)".contains(words) && "\($0)".contains("--events") }
        }
    }
}
