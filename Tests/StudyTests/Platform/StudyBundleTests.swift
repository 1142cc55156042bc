// SPDX-License-Identifier: Apache-2.0
import Study
import Testing

@Suite struct StudyBundleTests {
    /// As stores of 2026 have it: the bytes are what a later look at the server is compared with,
    /// so reading and writing must not change one.
    static let stored =
        #"{"studyd-bundle":{"activityList.json":"{\"activities\":[]}","study.json":"{}"},"#
        + #""options":{"policy":"ios","comparesLikeTheApp":false,"horizon":1825,"timeouts":"minutes","momentumLogs":true,"language":"es"}}"#

    @Test func aBundleOfAnOldStoreIsWrittenAsItWasRead() throws {
        let source = try #require(StudyBundle.source(Array(Self.stored.utf8)))
        #expect(source.files.map(\.name) == ["activityList.json", "study.json"])
        #expect(source.options[text: "policy"] == "ios" && source.options[integer: "horizon"] == 1825)
        #expect(source.options[flag: "comparesLikeTheApp"] == false)
        let written = StudyBundle.bytes(source.files, options: source.options)
        #expect(String(decoding: written, as: UTF8.self) == Self.stored)
    }

    @Test func aStudyItselfIsNoBundle() { #expect(StudyBundle.source(Array(#"{"studyd":1}"#.utf8)) == nil) }

    @Test func aChoiceKeepsItsPlaceAndCanBeTakenBack() {
        var options = StudyOptions()
        options[text: "a"] = "1"
        options[flag: "b"] = true
        options[text: "a"] = "2"
        #expect(options.members.map(\.key) == ["a", "b"] && options[text: "a"] == "2")
        options[text: "a"] = nil
        #expect(options.members.map(\.key) == ["b"] && !options.isEmpty)
    }
}
