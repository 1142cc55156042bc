// SPDX-License-Identifier: Apache-2.0
import Glibc
import RecordingSchema
import SystemKit
import Testing

@testable import Base
@testable import Device

/// The lines of Python and R in docs/recordings.md are run over our recordings.
@Suite struct DocumentedLinesTests {
    struct Lines: Sendable, CustomTestStringConvertible {
        let language: String
        /// `cwa: actipy`.
        let title: String
        let text: String
        var testDescription: String { "\(language) \(title)" }
        /// What must be installed for them; nil for what comes with the language.
        var package: String? {
            let name = String(title.split(separator: " ").last ?? "")
            return ["library", "base"].contains(name) ? nil : name
        }
    }

    static let all: [Lines] = {
        let path = DescriptionSchema.root + "/docs/recordings.md"
        guard let file = try? File(path, .read), let bytes = try? file.read(file.size(), at: 0) else { return [] }
        var found: [Lines] = []
        for part in String(decoding: bytes, as: UTF8.self).split(separator: "\n```") {
            for language in ["python", "r"] where part.hasPrefix("\(language)\n# ") {
                let text = part.dropFirst(language.count + 1)
                let title = text.dropFirst(2).prefix { $0 != "\n" }
                found.append(Lines(language: language, title: String(title), text: String(text)))
            }
        }
        return found
    }()

    @Test func thereAreLinesForEveryFormatInBothLanguages() {
        for language in ["python", "r"] {
            let titles = Self.all.filter { $0.language == language }.map { $0.title.prefix { $0 != ":" } }
            for topic in ["description", "cwa", "csv", "position"] {
                #expect(titles.contains { $0 == topic }, "\(language) \(topic)")
            }
        }
    }

    @Test(.timeLimit(.minutes(10)), arguments: all) func theyRun(lines: Lines) throws {
        let program =
            lines.language == "python" ? getenv("STUDYD_PYTHON").map { String(cString: $0) } ?? "python3" : "Rscript"
        guard has(lines, program) else {
            return print("SKIPPED: \(lines.language): \(lines.package ?? program) is not installed")
        }
        let bench = Workbench()
        try write(bench)
        try bench.write("lines", Array(lines.text.utf8))
        // Where the reader sits must not matter: the recording is from Berlin, the computer is not.
        let result = run("cd '\(bench.path)' && TZ=America/New_York '\(program)' lines")
        #expect(result.code == 0 && !result.text.isEmpty, "\(result.text)")
        let end = result.text.split(separator: "\n").last.map(String.init) ?? ""
        let minute = try startMinute(lines, bench)
        #expect(end.replacing("T", with: " ").contains(minute), "\(minute) UTC in the last line of:\n\(result.text)")
    }

    /// `2026-03-28 08:59`, in UTC, from the description of the file that the lines are about.
    private func startMinute(_ lines: Lines, _ bench: Workbench) throws -> String {
        let files = ["csv": "field", "sound": "sound", "position": "position"]
        let file = files[String(lines.title.prefix { $0 != ":" })] ?? "motion"
        let path = "\(bench.path)/\(file).json"
        let description = try RecordingDescription(json: bytes(path), path: path)
        let start = try Instant(rfc3339: #require(description.startDate))
        return String("\(start)".prefix(16)).replacing("T", with: " ")
    }

    private func has(_ lines: Lines, _ program: String) -> Bool {
        guard let package = lines.package else { return run("'\(program)' --version").code == 0 }
        return run(
            lines.language == "python" ? "'\(program)' -c 'import \(package)'" : "'\(program)' -e 'library(\(package))'"
        ).code == 0
    }

    /// Under the names that the documentation uses.
    private func write(_ bench: Workbench) throws {
        func copy(_ sealed: SealedRecording, _ name: String, _ ending: String) throws {
            try bench.write("\(name).\(ending)", bytes(sealed.path))
            try bench.write("\(name).json", bytes(sealed.descriptionPath))
        }
        let sound = (0..<64_000).map { Int16($0 % 200 - 100) }
        try copy(bench.motion(), "motion", "cwa")
        try copy(bench.magneticField(), "field", "csv.gz")
        try copy(bench.sound(sound, as: .levels), "levels", "csv.gz")
        try copy(bench.sound(sound, as: .flac), "sound", "flac")
        let ring = FrameRing(capacity: 16, repeating: ByteFrame(time: .zero))
        let recorder = try MeasureConfiguration(identifier: "position", format: .nmea).recorder(
            of: .bytes(ring), source: Example.receiver, origin: Example.origin, folder: bench.folder())
        let sentence = "$GPRMC,081836,A,3751.65,S,14507.36,E,000.0,360.0,130998,011.3,E*62\r\n"
        for second in 0..<4 { ring.push(Example.bytes(sentence, at: 100 + Double(second))) }
        let sealed = recorder.stop(at: MonotonicTime(seconds: 120), anchors: [Example.anchor])
        try copy(#require(sealed.first), "position", "nmea")
    }

    private func bytes(_ path: String) throws -> [UInt8] {
        let file = try File(path, .read)
        return try file.read(file.size(), at: 0)
    }

    private func run(_ command: String) -> (code: CInt, text: String) {
        guard let pipe = popen("{ \(command); } 2>&1", "r") else { return (-1, "") }
        var text: [UInt8] = []
        while case let byte = fgetc(pipe), byte != EOF { text.append(UInt8(truncatingIfNeeded: byte)) }
        return (pclose(pipe), String(decoding: text, as: UTF8.self))
    }
}
