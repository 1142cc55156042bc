// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Lab
@testable import StandIns

@Suite struct MyStudiesTokenTests {
    @Test(arguments: ["ABCDEFGHI", "QWERTYUIE", "STUDYDEVW", "AAAAAAAAA", "ZZZZZZZZI"])
    func theCheckLetterFits(_ token: String) {
        #expect(MyStudiesToken.isValid(token))
        // Any other last letter does not.
        for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" where letter != token.last {
            #expect(!MyStudiesToken.isValid(token.dropLast() + String(letter)))
        }
    }

    @Test(arguments: ["", "ABCDEFGHZ", "ABCDEFGH", "abcdefghi", "ABCDEFGH1", "ÄBCDEFGHI", "ABCD EFGHI"])
    func everythingElseIsWrong(_ token: String) { #expect(!MyStudiesToken.isValid(token)) }

    @Test func newTokensAreValidAndDiffer() {
        var generator = SystemRandomNumberGenerator()
        let tokens = (0..<200).map { _ in MyStudiesToken.random(using: &generator) }
        #expect(tokens.allSatisfy { $0.count == 9 && MyStudiesToken.isValid($0) } && Set(tokens).count == 200)
        #expect(Set(tokens.joined()) == Set("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), "none of 1,600 draws is always left out")
    }
}
