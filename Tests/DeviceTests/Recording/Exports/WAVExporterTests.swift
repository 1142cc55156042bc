// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import Device
@testable import Exports

@Suite struct WAVExporterTests {
    private func export(_ path: String, _ bench: Workbench) throws -> (bytes: [UInt8], isDamaged: Bool) {
        let source = try RecordedFile(path)
        var isDamaged = false
        let bytes = try bench.exported("out.wav") { isDamaged = try WAVExporter.export(source, to: $0) { _ in } }
        return (bytes, isDamaged)
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

    @Test func aCutFileGivesItsWholeFramesAndSaysSo() throws {
        let bench = Workbench()
        let path = try bench.sound(tone(40_000), as: .flac).path
        let name = String(path.split(separator: "/").last ?? "")
        try bench.write("cut.flac", Array(try bench.bytes(name).dropLast(3000)))
        let (bytes, isDamaged) = try export("\(bench.path)/cut.flac", bench)
        #expect(isDamaged && Int(bytes.uint32(4)) == bytes.count - 8 && bytes.count > 8192)
    }
}
