// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import SystemKit

/// Names become parts of a path, whatever a device calls itself.
struct PathNameTests {
    @Test(arguments: [
        ("P007", "P007"), ("..", "%2E."), ("a/b", "a%2Fb"), ("", "%"), ("ä", "%C3%A4"), ("%", "%25"), (".x", "%2Ex"),
        ("1-2_3.json", "1-2_3.json"), ("~", "%7E"),
        (String(repeating: "x", count: 200), String(repeating: "x", count: 200)),
    ])
    func everyNameIsOnePartOfAPath(name: String, expected: String) {
        #expect(PathName.safe(name) == expected)
    }

    /// A file system takes 255 bytes of a name; one that could not be written would end every export.
    @Test(arguments: ["x", "ü", "🙂"])
    func aLongNameIsCutAndStaysDifferent(_ letter: String) {
        let names = [201, 202, 3000].map { String(repeating: letter, count: $0) }
        let safe = names.map(PathName.safe)
        #expect(safe.allSatisfy { $0.utf8.count == 200 })
        #expect(Set(safe).count == names.count)
    }
}
