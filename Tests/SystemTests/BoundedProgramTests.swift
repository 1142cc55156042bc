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
}
