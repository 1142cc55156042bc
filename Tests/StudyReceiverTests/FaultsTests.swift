// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import StudyReceiver

@Suite struct FaultsTests {
    @Test(arguments: [
        ("500", Fault.status(500, 1)), ("503:0.3", .status(503, 0.3)), ("hang", .hang(1)), ("close:0", .close(0)),
        ("lost:0.5", .lost(0.5)),
    ]) func modesAreUnderstood(text: String, expected: Fault) {
        #expect(Fault(text) == expected)
    }

    @Test(arguments: ["", "200", "600", "500:", "500:2", "hang:-1", "lost:0.1:1", "none"])
    func otherWordsAreNone(text: String) {
        #expect(Fault(text) == nil)
    }
}
