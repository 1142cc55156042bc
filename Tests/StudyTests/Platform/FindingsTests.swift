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
}
