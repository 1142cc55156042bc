import SystemKit
// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Device
@testable import Exports

@Suite struct RecordedFileTests {
    @Test func whatIsNoRecordingIsRefused() throws {
        let bench = Workbench()
        for content in ["", "hello\n", "{\"a\": 1}"] {
            try bench.write("x", Array(content.utf8))
            #expect(throws: FileError.self) { try RecordedFile("\(bench.path)/x") }
        }
    }

    @Test func linesComeOutOfGzipAsTheyWentIn() throws {
        let bench = Workbench()
        var noise = Noise(seed: 9)
        let lines = (0..<20_000).map { "\($0),\(UInt64.random(in: 0...UInt64.max, using: &noise))" }
        try bench.write("plain", Array((["time,uptime,x"] + lines).joined(separator: "\n").utf8))
        try GzipFile.compress(
            File("\(bench.path)/plain", .read), to: File("\(bench.path)/packed.gz", .create))
        for name in ["plain", "packed.gz"] {
            let text = try RecordedFile("\(bench.path)/\(name)").lines()
            var found: [String] = []
            while let line = try text.next() { found.append(String(decoding: line, as: UTF8.self)) }
            #expect(found == ["time,uptime,x"] + lines)
        }
    }

    /// As a lab keeps it: its file and its description have the numbers with which they came, and those of another
    /// device's recording of the same name lie beside them.
    @Test(arguments: ["17-000001-accelerometer.cwa", "000001-accelerometer.cwa~2"])
    func aReceiversFileHasItsDescription(name: String) throws {
        let (bench, other, lab) = (Workbench(), Workbench(), Workbench())
        let (ours, theirs) = try (bench.motion(), other.motion(gap: false))
        try lab.write(name, bench.bytes("000001-accelerometer.cwa"))
        try lab.write("18-000001-accelerometer.json", other.bytes("000001-accelerometer.json"))
        try lab.write("99-000001-accelerometer.json", bench.bytes("000001-accelerometer.json"))
        let file = try RecordedFile("\(lab.path)/\(name)")
        #expect(file.description == ours.description && file.description != theirs.description)
        #expect(file.stepPath == "s1/motion")
    }

    @Test func aCutGzipFileGivesWhatThereIs() throws {
        let bench = Workbench()
        let path = try bench.magneticField().path
        let name = String(path.split(separator: "/").last ?? "")
        try bench.write("cut.gz", Array(try bench.bytes(name).dropLast(40)))
        let source = try RecordedFile("\(bench.path)/cut.gz")
        let whole = try bench.lines("whole.csv") {
            try TextExporter.export([RecordedFile(path)], window: .all, to: $0) { _ in }
        }
        let cut = try bench.lines("cut.csv") { try TextExporter.export([source], window: .all, to: $0) { _ in } }
        #expect(cut.count > 3 && cut.count < whole.count && whole.starts(with: cut))
        #expect(whole.joined(separator: "\n") + "\n" == (try bench.text(name)))
    }
}
