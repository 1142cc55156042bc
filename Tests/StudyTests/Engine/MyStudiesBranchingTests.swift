// SPDX-License-Identifier: Apache-2.0
import Foundation
import Patience
import PlatformMyStudies
import Testing

@testable import Study

/// Walks through random activities with destinations, against a second reading of the code of the
/// platform's two apps: `mystudies_walks.py`.
///
/// With `MYSTUDIES_ANDROID` naming a git copy of FDA-MyStudies/Android, that app's own class is
/// compiled and must walk as the reading says.
@Suite struct MyStudiesBranchingTests {
    struct Walk: Sendable {
        let activity: [UInt8]
        let answers: Answers
        /// The keys that are shown: by iOS's code, by it with forms led on as here, and with
        /// true comparisons.
        let ios: [String]
        let box: [String]
        let strict: [String]
        let android: [String]?
        let app: [String]?
        let difference: String?
    }

    static let androidApp = ProcessInfo.processInfo.environment["MYSTUDIES_ANDROID"]
    static let walks: [Walk] = (try? read()) ?? []

    private static func read() throws -> [Walk] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/mystudies_walks.py"
        process.arguments = ["python3", script] + (androidApp.map { [$0] } ?? [])
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitAsleep()
        return try output.split(separator: UInt8(ascii: "\n")).map { line in
            let node = try #require(try JSONSerialization.jsonObject(with: line) as? [String: Any])
            let activity = try #require(node["activity"])
            let answers = try #require(node["answers"] as? [String: Any])
            return Walk(
                activity: Array(try JSONSerialization.data(withJSONObject: activity)),
                answers: answers.compactMapValues(answer), ios: node["ios"] as? [String] ?? [],
                box: node["box"] as? [String] ?? [], strict: node["strict"] as? [String] ?? [],
                android: node["android"] as? [String], app: node["app"] as? [String],
                difference: node["difference"] as? String)
        }
    }

    private static func answer(_ value: Any) -> AnswerValue? {
        if let values = value as? [String] { return .choices(values) }
        guard let number = value as? NSNumber else { return nil }
        return isBoolean(number) ? .boolean(number.boolValue) : .number(number.doubleValue)
    }

    /// JSON's `true` comes as a number too.
    private static func isBoolean(_ number: NSNumber) -> Bool { String(cString: number.objCType) == "c" }

    static func walk(_ walk: Walk, likeTheApp: Bool) throws -> [String] {
        var options = StudyOptions()
        options.comparesLikeTheApp = likeTheApp
        var source = StudySource(walk.activity)
        source.options = options
        let study = try MyStudiesReader().decode(source)
        var navigator = Navigator(
            OpenedTask(study.tasks[0], opening: 1, chance: PanelFixtures.chance), facts: StudyFacts())
        let way = NavigatorTests.walk(&navigator, walk.answers, limit: 100).split(separator: " ").map(String.init)
        return way.filter { $0 != "end" }.map { String($0.split(separator: "/")[0]) }
    }

    @Test(.enabled(if: !walks.isEmpty, "SKIPPED: python3 is not there")) func theWayIsThatOfTheApp() throws {
        #expect(Self.walks.count >= 500)
        for walk in Self.walks {
            #expect(
                try Self.walk(walk, likeTheApp: true) == walk.box, "\(String(decoding: walk.activity, as: UTF8.self))")
            #expect(
                try Self.walk(walk, likeTheApp: false) == walk.strict,
                "\(String(decoding: walk.activity, as: UTF8.self)) \(walk.answers)")
        }
    }

    /// Every way in which the two apps differ is in the document by its name; forms are where this
    /// device goes with Android.
    @Test(.enabled(if: !walks.isEmpty, "SKIPPED: python3 is not there")) func theAppsDifferWhereTheDocumentSays() throws
    {
        let path =
            URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/../../../docs/mystudies.md"
        let document = try String(contentsOfFile: path, encoding: .utf8)
        let found = Set(Self.walks.compactMap(\.difference))
        #expect(found.count >= 8)
        for name in found { #expect(document.contains("| \(name) |"), "\(name)") }
        #expect(Self.walks.contains { $0.box != $0.ios })
        for walk in Self.walks where walk.box != walk.ios {
            #expect(String(decoding: walk.activity, as: UTF8.self).contains("\"form\""))
        }
    }

    @Test(.enabled(if: androidApp != nil, "SKIPPED: MYSTUDIES_ANDROID names no git copy of FDA-MyStudies/Android"))
    func theReadingOfAndroidIsWhatItsOwnClassDoes() {
        let walked = Self.walks.filter { $0.app != nil }
        #expect(walked.count >= 500)
        for walk in walked { #expect(walk.app == walk.android) }
    }
}
