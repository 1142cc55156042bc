// SPDX-License-Identifier: Apache-2.0
import Base
import Exports
import SystemKit
import Testing

@testable import studyd_tools

/// Which part of a recording a picture is asked for. Times are RFC 3339's without their offset.
@Suite struct PlotCommandTests {
    private static func window(_ words: String...) throws -> PlotWindow? {
        try #require(PlotCommand.parseAsRoot(["walk.cwa"] + words) as? PlotCommand).window
    }

    @Test(arguments: [
        ("2026-11-25T10:03", 1_795_600_980.0), ("2026-11-25T10:03:30", 1_795_601_010.0),
        ("2026-11-25T10:03:30.5", 1_795_601_010.5), ("2024-02-29T23:59", 1_709_251_140.0),
    ]) func aTimeIsWhatTheAxisShows(at: String, seconds: Double) throws {
        // GNU date -u -d 2026-11-25T10:03Z +%s
        let window = try #require(try Self.window("--at", at))
        #expect(window == PlotWindow(start: .epoch + .milliseconds(Int(seconds * 1000)), seconds: 60))
    }

    @Test(arguments: [("1s", 1.0), ("90s", 90), ("10m", 600), ("24h", 86_400)])
    func aSpanIsUpToADay(length: String, seconds: Double) throws {
        #expect(try Self.window("--at", "2026-11-25T10:03", "--for", length)?.seconds == seconds)
    }

    @Test func withoutATimeItIsTheWhole() throws { #expect(try Self.window() == nil) }

    @Test(arguments: [
        ["--at", "10:03"], ["--at", "2026-11-25"], ["--at", "2026-11-25T10:03Z"],
        ["--at", "2026-11-25T10:03:00+01:00"],
        ["--at", "2026-02-29T10:03"], ["--at", "2026-11-25T24:01"], ["--at", "yesterday"], ["--at", ""],
    ]) func aTimeThatIsNoneIsRefusedWithOneThatIs(words: [String]) {
        Self.expectRefusal(words, "--at \(words[1]): use a time without a zone, such as 2026-11-25T10:03")
    }

    @Test(arguments: ["0s", "-1m", "86401s", "25h", "1", "soon", "1m1h", "1e3s"])
    func aSpanThatIsNoneIsRefusedWithOneThatIs(length: String) {
        Self.expectRefusal(
            ["--at", "2026-11-25T10:03", "--for=\(length)"],
            "--for \(length): use a duration up to a day, such as 1m")
    }

    @Test func aSpanOfNoTimeIsRefused() {
        Self.expectRefusal(["--for", "10m"], "--for: say from when on, with --at")
    }

    @Test func theKeyThatOpensARecordingIsNotReplaced() throws {
        let folder = try TemporaryFolder("plot")
        defer { folder.remove() }
        let motion = try ExportCommandTests.record(into: folder.path)
        let (key, text) = (folder.path + "/key.txt", try #require(ExportCommandTests.files["key.txt"]))
        try AtomicFile.write(Array(text.utf8), to: key)
        let plot = try #require(PlotCommand.parseAsRoot([motion, "--key", key, "-o", key]) as? PlotCommand)
        #expect { try plot.run() } throws: { "\($0)".contains("use another file with -o") }
        #expect(try BoundedFile.text(key) == text)
    }

    private static func expectRefusal(_ words: [String], _ text: String) {
        do {
            _ = try PlotCommand.parseAsRoot(["walk.cwa"] + words)
            Issue.record("\(words) is taken")
        } catch { #expect(PlotCommand.message(for: error) == text) }
    }
}
