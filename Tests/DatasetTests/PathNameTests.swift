// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Dataset

/// Names become parts of a path, whatever a device calls itself.
struct PathNameTests {
    @Test(arguments: [
        ("P007", "P007"), ("..", "%2E."), ("a/b", "a%2Fb"), ("", "%"), ("ä", "%C3%A4"), ("%", "%25"), (".x", "%2Ex"),
        ("1-2_3.json", "1-2_3.json"),
    ])
    func everyNameIsOnePartOfAPath(name: String, expected: String) {
        #expect(PathName.safe(name) == expected)
    }
}
