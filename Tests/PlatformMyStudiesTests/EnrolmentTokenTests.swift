// SPDX-License-Identifier: Apache-2.0
import Study
import Testing

@testable import PlatformMyStudies

struct EnrolmentTokenTests {
    @Test(arguments: ["ABCDEFGHI", "QWERTYUIE", "STUDYDEVW", "AAAAAAAAA", "ZZZZZZZZI", " abcdefghi\n"])
    func rightTokensAreTaken(_ text: String) { #expect(EnrolmentToken(text) != nil) }

    @Test(arguments: ["ABCDEFGHZ", "ABCDEFGH", "", "A", "ABCD EFGHI", "ABCDEFGH1", "ÄBCDEFGHI", "ABCDEFGIH"])
    func wrongTokensAreRefusedBeforeAnyNetwork(_ text: String) { #expect(EnrolmentToken(text) == nil) }

    @Test func everySingleSlipOfALetterIsFound() {
        let token = Array("QWERTYUIE")
        for place in token.indices {
            for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" where letter != token[place] {
                var wrong = token
                wrong[place] = letter
                #expect(EnrolmentToken(String(wrong)) == nil, "\(String(wrong))")
            }
        }
    }

    @Test func tokensAreTrimmedAndCapitalised() { #expect(EnrolmentToken("  studydevw ")?.text == "STUDYDEVW") }
}
