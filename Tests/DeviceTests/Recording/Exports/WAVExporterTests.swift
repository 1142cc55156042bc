// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import Device
@testable import Exports

@Suite struct WAVExporterTests {
    private func export(_ path: String, _ bench: Workbench) throws -> (bytes: [UInt8], isDamaged: Bool) {
        let source = try RecordedFile(path)
        var damage = WAVExporter.Damage()
        let bytes = try bench.exported("out.wav") {
            damage = try WAVExporter.export([source], window: .all, to: $0) { _ in }
        }
        return (bytes, !damage.damaged.isEmpty)
    }

    @Test func everySampleIsThereAndTheSizesAreRight() throws {
        let bench = Workbench()
        let samples = tone(40_123)
        let (bytes, isDamaged) = try export(bench.sound(samples, as: .flac).path, bench)
        let data = Array(bytes.suffix(2 * samples.count))
        #expect(samples.indices.allSatisfy { data.int16(2 * $0) == samples[$0] } && !isDamaged)
        #expect(Int(bytes.uint32(4)) == bytes.count - 8)
        #expect(Int(bytes.uint32(bytes.count - data.count - 4)) == data.count)
        #expect(String(decoding: bytes, as: UTF8.self).contains("ICRD"))
    }

    @Test(.enabled(if: Python.has("wave"), "needs Python"))
    func theReaderThatRefusesWrongSizesReadsIt() throws {
        let bench = Workbench()
        _ = try export(bench.sound(tone(20_000), as: .flac).path, bench)
        let script = "import sys, wave; w = wave.open(sys.argv[1]); print(*w.getparams()[:4])"
        #expect(Python.run(script, ["\(bench.path)/out.wav"])?.first == "1 2 16000 20000")
    }

    /// Berlin's clock went back at 3:00 on 2026-10-25: 2:59:59 of summer is a second before 2:00 of winter.
    @Test func filesComeInTrueOrderWhereTheClockGoesBack() throws {
        let bench = Workbench()
        // Their other times are those of the example.
        bench.hasDamagedDescriptions = true
        let paths = try [("2026-10-25T02:00:00.000+01:00", Int16(2)), ("2026-10-25T02:59:59.000+02:00", 1)].map {
            start, level in
            let sealed = try bench.sound([Int16](repeating: level, count: 16_000), as: .flac)
            let name = String(sealed.descriptionPath.split(separator: "/").last ?? "")
            let text = String(decoding: try bench.bytes(name), as: UTF8.self)
            let old = try #require(sealed.description.startDate)
            #expect(text.contains(old))
            try bench.write(name, Array(text.replacing(old, with: start).utf8))
            return sealed.path
        }
        let sources = try paths.map { try RecordedFile($0) }
        let bytes = try bench.exported("out.wav") {
            let damage = try WAVExporter.export(sources, window: .all, to: $0) { _ in }
            #expect(damage.silence == 0 && damage.leftOut == 0)
        }
        let data = Array(bytes.suffix(64_000))
        #expect((0..<32_000).allSatisfy { data.int16(2 * $0) == ($0 < 16_000 ? 1 : 2) })
    }

    /// A rate that its description may have, and that no chip has, gives ends far away.
    @Test func aRateThatCannotBeDoesNotEndTheExport() throws {
        let bench = Workbench()
        let sealed = try bench.sound(tone(40_000), as: .flac)
        var note = sealed.description
        note.measuredRate = 1e-6
        let source = try RecordedFile(sealed.path, named: note.relativePath, described: note)
        let bytes = try bench.exported("out.wav") {
            _ = try WAVExporter.export([source], window: .all, to: $0) { _ in }
        }
        #expect(bytes.count > 80_000)
    }

    @Test func aCutFileGivesItsWholeFramesAndSaysSo() throws {
        let bench = Workbench()
        let path = try bench.sound(tone(40_000), as: .flac).path
        let name = String(path.split(separator: "/").last ?? "")
        try bench.write("cut.flac", Array(try bench.bytes(name).dropLast(3000)))
        let (bytes, isDamaged) = try export("\(bench.path)/cut.flac", bench)
        #expect(isDamaged && Int(bytes.uint32(4)) == bytes.count - 8 && bytes.count > 8192)
    }
}
