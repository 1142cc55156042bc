// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@Suite struct PluralTests {
    @Test(arguments: [(0, "0 devices"), (1, "1 device"), (2, "2 devices")])
    func aCountHasItsNounInItsNumber(count: Int, text: String) { #expect(Plural.of(count, "device") == text) }

    @Test func aNounWithoutARegularPluralGivesIt() { #expect(Plural.of(3, "try", "tries") == "3 tries") }
}
