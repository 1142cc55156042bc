// SPDX-License-Identifier: Apache-2.0
import SystemKit
import Testing

@testable import Agent

/// Judged by the kernel's own account of this very process (proc_pid_smaps(5)).
@Suite struct ProcessMemoryTests {
    /// What of the program and its libraries is mapped, in KB.
    private struct Account {
        /// Read-only and nothing written to: code and constants.
        var code = 0
        /// Pages of files that were written to: relocated tables and variables.
        var written = 0

        init() throws {
            var isReadOnly = false
            var isFile = false
            var resident = 0
            for line in String(decoding: try BoundedFile.read("/proc/self/smaps", limit: 4 << 20), as: UTF8.self)
                .split(separator: "\n")
            {
                let words = line.split(separator: " ")
                if words.count >= 5, words[0].contains("-"), !words[0].hasSuffix(":") {
                    isReadOnly = words[1] == "r-xp" || words[1] == "r--p"
                    isFile = words.count > 5 && words[5].hasPrefix("/")
                } else if words.first == "Rss:" {
                    resident = Int(words[1]) ?? 0
                } else if words.first == "Anonymous:", isFile, let anonymous = Int(words[1]) {
                    written += anonymous
                    if isReadOnly, anonymous == 0 { code += resident }
                }
            }
        }
    }

    @Test func codeThatIsGivenBackLeavesMemoryAndWhatWasWrittenStays() throws {
        let before = try Account()
        ProcessMemory.releaseCode()
        let after = try Account()
        #expect(before.code > 4_000, "\(before.code) KB: nothing to be given back")
        #expect(after.code < before.code, "\(before.code) KB before, \(after.code) KB after")
        #expect(after.written >= before.written, "\(before.written) KB before, \(after.written) KB after")
    }

    @Test func threadsThatCalculateMeanwhileGetTheSameResults() async throws {
        @Sendable func words(_ seed: Int) -> [String] { (0..<2_000).map { "\((seed + $0) &* 7_919 % 1_000)" }.sorted() }
        let expected = (0..<4).map(words)
        try await withThrowingTaskGroup(of: (Int, [String]).self) { group in
            for seed in 0..<4 { group.addTask { (seed, words(seed)) } }
            for _ in 0..<50 { ProcessMemory.releaseCode() }
            for try await (seed, found) in group { #expect(found == expected[seed]) }
        }
    }
}
