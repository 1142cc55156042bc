// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import PlatformSchema

@Suite struct UniqueKeysTests {
    @Test(arguments: [
        (["a", "b", "a", "a"], ["a", "b", "a (2)", "a (3)"]), (["a (2)", "a", "a"], ["a (2)", "a", "a (3)"]),
        (["a", "a", "a (2)", "a"], ["a", "a (2)", "a (2) (2)", "a (3)"]), (["", ""], ["", " (2)"]),
    ])
    func aNameThatIsTakenHasTheFirstFreeNumberBehindIt(_ names: [String], _ keys: [String]) {
        var unique = UniqueKeys()
        #expect(names.map { unique.key(for: $0) } == keys)
    }
}
