// SPDX-License-Identifier: Apache-2.0
import SystemKit
import Testing

/// head(1) and sleep(1) are the witnesses.
@Suite(.timeLimit(.minutes(10))) struct BoundedProgramTests {
    /// More pieces of a pipe (4096 bytes) than the limit has slices of 20 ms.
    @Test func muchOutputIsNotTimeThatPassed() throws {
        let talker = BoundedProgram(name: "head", arguments: ["-c", "50000000", "/dev/zero"])
        let (status, output) = try talker.run(input: [], limit: .seconds(100))
        #expect(status == 0 && output.utf8.count == BoundedProgram.outputLimit)
    }

    @Test(arguments: [0, 60]) func whatDoesNotEndIsEnded(_ milliseconds: Int64) {
        let sleeper = BoundedProgram(name: "sleep", arguments: ["600"])
        let error = #expect(throws: ProgramError.self) {
            try sleeper.run(input: [], limit: .milliseconds(milliseconds))
        }
        #expect(error == .tooSlow("sleep", .milliseconds(milliseconds)))
    }

    @Test func whatIsNoLongerNeededIsEnded() {
        let sleeper = BoundedProgram(name: "sleep", arguments: ["600"])
        let error = #expect(throws: ProgramError.self) {
            try sleeper.run(input: [], limit: .seconds(600)) { true }
        }
        #expect(error == .cancelled("sleep"))
    }

    /// cat(1) gives back what it gets; of more than a pipe takes only that much goes in.
    @Test(arguments: [(0, 0), (1, 1), (4_096, 4_096), (20_000, 4_096)])
    func whatGoesInComesOutUpToTheLimit(count: Int, kept: Int) throws {
        let text = (0..<count).map { UInt8(ascii: "a") + UInt8($0 % 26) }
        let (status, output) = try BoundedProgram(name: "cat", arguments: []).run(input: text, limit: .seconds(100))
        #expect(status == 0 && Array(output.utf8) == Array(text.prefix(kept)))
        let (_, size) = try BoundedProgram(name: "wc", arguments: ["-c"]).run(input: text, limit: .seconds(100))
        #expect(Int(size.prefix { $0.isNumber }) == min(count, BoundedProgram.inputLimit))
    }

    @Test func itsStatusItsErrorsAndThatItIsMissingAreTold() throws {
        let shell = BoundedProgram(name: "sh", arguments: ["-c", "echo no >&2; exit 3"])
        let (status, output) = try shell.run(input: [], limit: .seconds(100))
        #expect(status == 3 && output == "no\n")
        let error = #expect(throws: ProgramError.self) {
            try BoundedProgram(name: "no-such-program", arguments: []).run(input: [], limit: .seconds(100))
        }
        #expect(error == .missing("no-such-program"))
    }
}
