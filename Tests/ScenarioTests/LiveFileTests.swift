// SPDX-License-Identifier: Apache-2.0
import Glibc
import Patience
import Testing

/// A file that is being written has one truth: `status`, `recordings list`, `recordings show` and a
/// copy of the file under another name say the same, and for CWA so does a reading by the published
/// layout (Open Movement, cwa.h).
@Suite struct LiveFileTests {
    @Test(.timeLimit(.minutes(20))) func whoeverLooksAtAnOpenFileFindsTheSame() async throws {
        try await Stage.with { stage in
            try stage.configure(recordings: nil, rotate: "1h")
            let text = Files.text(stage.folder + "/studyd.toml")
            try Files.write(
                text.replacing("[[measure]]\n", with: "[[measure]]\nwhen = \"always\"\n"),
                to: stage.folder + "/studyd.toml")
            try stage.board()
            let agent = try await stage.agent()
            var agreed: Set<String> = []
            var last = "none"
            try await eventually("all four measures agree; the last that did not: \(last)") {
                let before = try await Self.open(stage)
                for (channel, file) in before where file.stored > 0 && !agreed.contains(channel) {
                    let path = stage.state + "/recordings/" + file.name
                    let copy = stage.folder + "/copy-" + channel + (file.name.contains(".nmea") ? ".nmea" : "")
                    try Files.write(Files.bytes(path), to: copy)
                    let shown = try await Self.stored(stage.studyd("recordings", "show", path).output)
                    let copied = try await Self.stored(stage.studyd("recordings", "show", copy).output)
                    let listed = try await Self.listed(stage.studyd("recordings", "list").output, file.name)
                    let sectors = channel == "accelerometer" ? Self.samples(Files.bytes(copy)) : nil
                    // A write in the middle of all this is seen in the status, or by the next look:
                    // it is on the disk before the status that tells of it.
                    guard try await Self.open(stage)[channel]?.stored == file.stored else { continue }
                    guard shown == file.stored, copied == file.stored, listed == file.stored else {
                        let figures = [shown, copied, listed].map { $0.map(String.init) ?? "nothing" }
                        last = "\(channel): status \(file.stored); show, copy, list \(figures.joined(separator: ", "))"
                        continue
                    }
                    if let sectors { #expect(sectors == file.stored) }
                    agreed.insert(channel)
                }
                return agreed.count == 4
            }
            try await agent.stop()
        }
    }

    /// By channel, as `status` has it.
    private static func open(_ stage: Stage) async throws -> [String: (name: String, stored: Int)] {
        var files: [String: (name: String, stored: Int)] = [:]
        for measure in try await stage.status()["measures"].list {
            let file = measure["openFile"]
            if !file["name"].text.isEmpty { files[measure["channel"].text] = (file["name"].text, file["stored"].int) }
        }
        return files
    }

    /// `stored    1920 samples`.
    private static func stored(_ text: String) -> Int? {
        text.split(separator: "\n").first { $0.hasPrefix("stored ") }?.split(separator: " ").dropFirst().first.flatMap {
            Int($0)
        }
    }

    /// FILE, START, LENGTH, STORED: the fourth of the line.
    private static func listed(_ text: String, _ name: String) -> Int? {
        let words = text.split(separator: "\n").first { $0.hasPrefix(name) }?.split(separator: " ").map(String.init)
        return words.flatMap { $0.count > 3 ? Int($0[3]) : nil }
    }

    /// Sectors of 512 bytes behind a header of 1024, their number of samples at byte 28.
    private static func samples(_ bytes: [UInt8]) -> Int {
        stride(from: 1024, to: bytes.count - 511, by: 512).reduce(0) { sum, place in
            bytes[place] == UInt8(ascii: "A") && bytes[place + 1] == UInt8(ascii: "X")
                ? sum + Int(bytes[place + 28]) + Int(bytes[place + 29]) << 8 : sum
        }
    }
}
