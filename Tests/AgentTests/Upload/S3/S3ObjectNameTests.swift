// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Agent

@Suite struct S3ObjectNameTests {
    @Test(arguments: [
        ("", "s", "p", "a.cwa", "s/p/e/a.cwa"), ("/lab//x/", "s", "p", "a", "lab/x/s/p/e/a"),
        ("", "..", ".", "../../b", "_/_/e/.._.._b"), ("", "a/b", "c\\d", "\n", "a_b/c_d/e/_"),
        ("..", "", "ż €", "a", "_/_/ż €/e/a"),
    ])
    func aNameStaysInItsFolder(
        _ prefix: String, _ study: String, _ participant: String, _ file: String, _ wanted: String
    ) {
        let name = S3ObjectName(prefix: prefix, study: study, participant: participant, enrolment: "e", file: file)
        #expect(name.key == wanted)
        #expect(name.copy(1) == name && name.copy(2).key == wanted + "~2")
    }

    /// S3 User Guide, "Naming Amazon S3 objects": 1,024 bytes of UTF-8.
    @Test func aNameIsNeverLongerThanObjectsMayBeCalled() {
        let long = String(repeating: "€", count: 5000)
        let name = S3ObjectName(prefix: "", study: long, participant: long, enrolment: "e", file: long)
        #expect(name.copy(9).key.utf8.count <= 1024 && name.key.utf8.count > 590)
    }

    @Test func aNameThatIsCutIsABeginning() {
        let file = String(repeating: "a", count: 199) + "€bc"
        let name = S3ObjectName(prefix: "", study: "s", participant: "p", enrolment: "e", file: file)
        #expect(name.key == "s/p/e/" + String(repeating: "a", count: 199))
    }
}
