// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

/// Distances from the literature: kitten/sitting (Levenshtein), saturday/sunday (Wagner and
/// Fischer), ca/abc (optimal string alignment is 3).
@Suite struct MisspellingTests {
    @Test(arguments: [
        ("kitten", "sitting", 3), ("saturday", "sunday", 3), ("ca", "abc", 3), ("statsu", "status", 1), ("", "run", 3),
        ("plan", "plan", 0),
    ]) func lettersBetweenWordsAreCounted(word: String, other: String, letters: Int) {
        #expect(Misspelling.distance(word, other) == letters)
    }

    @Test(arguments: [
        ("statsu", "status"), ("enrol", "enroll"), ("recording", "recordings"), ("vaildate", "validate"),
        ("sim", "simulate"), ("pln", "plan"),
    ]) func theNearestNameIsMeant(word: String, name: String) {
        let names = ["run", "status", "enroll", "recordings", "validate", "simulate", "plan", "study"]
        #expect(Misspelling.nearest(word, in: names) == name)
    }

    @Test(arguments: ["frobnicate", "x", ""]) func anotherWordIsNoMisspelling(word: String) {
        #expect(Misspelling.nearest(word, in: ["run", "status", "enroll"]) == nil)
    }

    @Test(arguments: [
        ("status", true), ("statu", true), ("stat", true), ("sta", false), ("xyatus", true), ("xyztus", false),
    ])
    func twoLettersMayBeWrong(word: String, isNear: Bool) { #expect(Misspelling.isNear(word, "status") == isNear) }

    /// With every letter wrong it is another word, however short.
    @Test(
        arguments: [
            ("xy", ["go"], nil), ("x", ["y"], nil), ("gp", ["go"], "go"), ("og", ["go"], "go"), ("abc", ["xyc"], "xyc"),
            ("abc", ["xyz"], nil), ("abcde", ["xyzde"], nil), ("rum", ["ran", "run"], "run"),
            ("rxn", ["run", "ran"], "run"), ("st", ["status"], nil), ("sta", ["status"], "status"),
            ("sta", ["status", "start-it"], nil),
        ] as [(String, [String], String?)])
    func aNameSharesALetterWithWhatIsMeant(word: String, names: [String], name: String?) {
        #expect(Misspelling.nearest(word, in: names) == name)
    }
}
