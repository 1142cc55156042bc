// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

/// `docs/rules.schema.json`, asked by Python's jsonschema of files that Python's tomllib read.
@Suite struct RulesSchemaTests {
    private static let python = ProcessInfo.processInfo.environment["STUDYD_PYTHON"] ?? "python3"
    private static let package = "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    private static let isThere: Bool = {
        if output("'\(python)' -c 'import jsonschema, tomllib' 2>&1") == "" { return true }
        print("SKIPPED: jsonschema is not installed; STUDYD_PYTHON may name a Python that has it")
        return false
    }()

    /// Mistakes of the form; the others are of what features mean, of the study or of another rule.
    private static let formal = [
        "is no probability between", "has no probability", "has none of", "has several of", "is no time of day",
        "there is no event", "is no window behind", "unknown key", "'8' is no span of a day", "'22:00--08:00' is no",
        "'22::00-08:00' is no",
        "'24:00-08:00' is no span of a day", "is no list of 1 to 48 times", "is there twice",
    ]

    private static func output(_ command: String) -> String {
        guard let pipe = popen(command, "r") else { return "no shell" }
        defer { pclose(pipe) }
        var (bytes, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
        while case let count = fread(&buffer, 1, buffer.count, pipe), count > 0 { bytes += buffer[..<count] }
        return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private static func verdicts(_ texts: [String], page: Bool = false) throws -> String {
        let path = FileManager.default.temporaryDirectory.path + "/studyd-rules-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try texts.joined(separator: "\u{0C}").write(toFile: path, atomically: true, encoding: .utf8)
        let words =
            [python, package + "/Tests/StudyTests/Rules/rules_schema.py", package + "/docs/rules.schema.json"]
            + [page ? package + "/docs/rules.md" : ""] + (texts.isEmpty ? [] : [path])
        return output(words.map { "'\($0)'" }.joined(separator: " ") + " 2>&1")
    }

    @Test(.enabled(if: isThere, "jsonschema is missing")) func thePagesExampleIsAccepted() throws {
        #expect(try Self.verdicts([], page: true) == "1")
    }

    @Test(.enabled(if: isThere, "jsonschema is missing")) func itRefusesWhatTheReaderRefusesForItsForm() throws {
        let files = StudyRulesReaderTests.mistakes
        let found = try Self.verdicts(files.map { StudyRulesReaderTests.rule($0.0) })
        try #require(found.count == files.count, "\(found)")
        for (verdict, (lines, problem)) in zip(found, files) {
            let isFormal = problem.map { words in Self.formal.contains { words.contains($0) } } ?? false
            #expect((verdict == "0") == isFormal, "\(lines): \(problem ?? "no mistake")")
        }
    }
}
