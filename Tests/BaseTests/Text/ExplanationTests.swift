// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@Suite struct ExplanationTests {
    @Test(arguments: [
        (Explanation(place: "a.toml:4", cause: "is missing", remedy: "add it"), "a.toml:4: is missing; add it"),
        (Explanation(cause: "no network", remedy: "plug it in"), "no network; plug it in"),
        (Explanation(place: "/dev/x", cause: "is gone"), "/dev/x: is gone"),
        (
            Explanation(cause: "cannot be played:\na.wav\nb.wav", remedy: "mend them"),
            "cannot be played:\na.wav\nb.wav\nmend them"
        ),
    ]) func theRemedyStandsBehindTheCauseAndBelowAList(_ explanation: Explanation, _ text: String) {
        #expect(explanation.description == text)
    }

    @Test func remediesFollowEachOther() {
        #expect(Explanation.remedies() == nil && Explanation.remedies(nil, nil) == nil)
        #expect(Explanation.remedies(nil, "a", nil) == "a" && Explanation.remedies("a", nil, "b") == "a; b")
    }

    @Test func anErrorWithoutPartsIsAllCause() {
        struct Plain: Error, CustomStringConvertible { let description = "it broke" }
        struct Explained: ExplainedError { let explanation = Explanation(place: "here", cause: "x", remedy: "y") }
        #expect(Explanation(Plain()) == Explanation(cause: "it broke"))
        #expect(Explanation(Explained()) == Explained().explanation && Explained().description == "here: x; y")
        #expect(Explained().explanation.finding == "here: x" && Explanation(cause: "x").finding == "x")
    }

    @Test func whatIsAroundAPlaceStandsBeforeIt() {
        #expect(Explanation(place: "chip", cause: "x").within("board").place == "board: chip")
        #expect(Explanation(cause: "x").within("board").place == "board")
    }
}
