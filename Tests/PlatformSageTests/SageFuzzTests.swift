// SPDX-License-Identifier: Apache-2.0
import PlatformFixtures
import SageFuzz
import Testing

/// The short form of `make fuzz`: damaged studies are refused or run; none may trap, and the same
/// trial ends the same.
@Suite struct SageFuzzTests {
    @Test(.timeLimit(.minutes(10))) func noStudyEndsTheProgram() throws {
        let folder = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined() + "/studies/sage/"
        let names = ["tapping.json", "tapping-hand.json", "tremor.json", "tremor-hand.json"]
        var files: [(name: String, bytes: [UInt8])] = []
        for name in names { files.append((name, try #require(FileBytes.read(folder + name)))) }
        files.append(
            (
                "study.json",
                Array(
                    #"{"identifier":"S","task":[{"file":"tapping","times":["09:00"],"last_day":3},{"file":"tremor","windows":[{"start":"10:00","end":"12:00","prompts":2,"apart":"30m"}],"anchor":"2026-12-01","last_day":3}]}"#
                        .utf8)
            ))
        let trial = SageTrial(files)
        var sent = 0
        for number in 0..<1_500 where trial.run(number) == .sent {
            sent += 1
            if number % 8 == 0 { #expect(trial.run(number) == .sent) }
        }
        #expect(sent > 100)
    }
}
