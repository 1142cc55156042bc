// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

@Suite struct FindingsTests {
    /// What a study's file has for a switch; a problem where it has neither a truth value nor a number.
    @Test(arguments: [
        ("{}", false, 0, 0), (#"{"on":true}"#, true, 0, 0), (#"{"on":false}"#, false, 0, 0),
        (#"{"on":0}"#, false, 0, 0),
        (#"{"on":1}"#, true, 0, 0), (#"{"on":2}"#, true, 0, 0), (#"{"on":-1}"#, true, 0, 0),
        (#"{"on":"true"}"#, true, 0, 1), (#"{"on":"false"}"#, false, 0, 1), (#"{"on":"yes"}"#, false, 1, 0),
        (#"{"on":[]}"#, false, 1, 0),
    ])
    func aSwitchIsOnWithTrueAndAnyNumberButZero(_ text: String, _ isOn: Bool, _ problems: Int, _ remarks: Int) throws {
        var findings = Findings()
        let value = findings.flag("on", in: JSONPlace(root: try JSONNode(Array(text.utf8))))
        #expect(value == isOn && findings.problems.count == problems && findings.remarks.count == remarks)
    }

    /// Within limits, both ends of them included; a text that spells the number will do.
    @Test(
        arguments: [
            (#"{"n":1}"#, 1), (#"{"n":5}"#, 5), (#"{"n":0}"#, nil), (#"{"n":6}"#, nil), (#"{"n":-1}"#, nil),
            (#"{"n":1.5}"#, nil), (#"{"n":"5"}"#, 5), (#"{"n":"6"}"#, nil), (#"{"n":"x"}"#, nil), (#"{"n":[]}"#, nil),
            ("{}", nil),
        ] as [(String, Int?)])
    func aWholeNumberLiesWithinItsLimits(_ text: String, _ number: Int?) throws {
        var findings = Findings()
        let value = findings.integer("n", 1...5, in: JSONPlace(root: try JSONNode(Array(text.utf8))))
        #expect(value == number && findings.problems.count == (number == nil ? 1 : 0))
        #expect(findings.problems.allSatisfy { $0.expected == "a whole number from 1 to 5" })
    }
}
