// SPDX-License-Identifier: Apache-2.0
import SystemKit
import Testing

@testable import Agent

@Suite struct ButtonVerdictTests {
    private struct Missing: Error {}
    private let button = CheckSubject(.button, "select")

    @Test func aButtonThatStaysDownIsStuck() {
        var verdict = ButtonVerdict(.success(true))
        #expect(verdict.isDown && !verdict.isUp)
        verdict.recordSecondLook(.success(true))
        #expect(!verdict.isUp && verdict.finding(button).result == .failed)
        #expect(verdict.finding(button).remedy?.contains("active_low") == true)
    }

    @Test func aHandThatGoesAwayLeavesAGoodButton() {
        var verdict = ButtonVerdict(.success(true))
        verdict.recordSecondLook(.success(false))
        #expect(verdict.isUp && verdict.finding(button).result == .skipped)
    }

    @Test func pressesAreHeardMissedOrExchanged() throws {
        let board = try BoardDescription(
            parsing: BoundedFile.text(AgentFixture.package + "/boards/breadboard.toml"), file: "b")
        func heard(_ buttons: [Int]) -> CheckFinding {
            var verdict = ButtonVerdict(.success(false))
            verdict.recordPresses(buttons, expected: 1, board)
            return verdict.finding(button)
        }
        #expect(heard([1]).result == .ok && heard([0, 1]).result == .ok)
        #expect(heard([]).result == .failed && heard([]).detail == "no press detected")
        #expect(heard([2]).detail == "its press was detected as 'next'" && heard([2]).remedy?.contains("swap") == true)
        #expect(ButtonVerdict(.failure(Missing())).finding(button).result == .failed)
    }
}
