// SPDX-License-Identifier: Apache-2.0
import Foundation
import Patience
import Testing

@testable import Lab
@testable import StandIns

/// The stand-in takes nothing that the real Response server does not take: compared over mutated
/// bodies with a reading of its Java, `response_checker.py`.
///
/// With `MYSTUDIES_RESPONSE` naming a git copy of FDA-MyStudies/Response and `MYSTUDIES_CLASSPATH`
/// the jars of jackson-databind and commons-lang3 (Debian's libjackson2-databind-java,
/// libcommons-lang3-java) the server's own classes are compiled and must say what the reading says.
@Suite struct MyStudiesResultTests {
    struct Body: Sendable {
        let results: JSONValue
        /// Nil where it depends on LabKey below.
        let takes: Bool?
        let app: Bool?
    }

    static let environment = ProcessInfo.processInfo.environment
    static let server = environment["MYSTUDIES_RESPONSE"].flatMap { repository in
        environment["MYSTUDIES_CLASSPATH"].map { [repository, $0] }
    }
    static let (design, bodies) = (try? read(6_000)) ?? (nil, [])

    private static func read(_ count: Int) throws -> (JSONValue?, [Body]) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/response_checker.py"
        process.arguments = ["python3", script, "\(count)"] + (server ?? [])
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitAsleep()
        let lines = try output.split(separator: UInt8(ascii: "\n")).map {
            try JSONReader.value(String(decoding: $0, as: UTF8.self), depthLimit: 64)
        }
        return (
            lines.first,
            lines.dropFirst().map {
                Body(results: $0["results"] ?? .null, takes: $0["takes"]?.bool, app: $0["app"]?.bool)
            }
        )
    }

    /// As the apps write it, also with the offset as `Z` or `+00:00`; what is not there is no mistake.
    @Test(
        arguments: [
            (nil, true), (.null, true), (.string("2026-05-28T20:20:00.000+0000"), true),
            (.string("2026-05-28T20:20:00.000Z"), true), (.string("2026-05-28T20:20:00.000+00:00"), true),
            (.string("2026-05-28T20:20:00.000-0430"), true), (.string(""), false), (.string("soon"), false),
            (.string("28.05.2026"), false), (.string("2026-05-28T20:20:00.000+0000 "), false),
            (.string("2026-05-28 20:20:00"), false), (.boolean(true), false), (.int(1_780_000_000), false),
        ] as [(JSONValue?, Bool)])
    func aMomentIsWrittenAsTheAppsDo(value: JSONValue?, isOne: Bool) {
        #expect(MyStudiesResult.isMoment(value) == isOne)
    }

    @Test(.enabled(if: !bodies.isEmpty, "SKIPPED: python3 is not there")) func whatTheStandInTakesTheServerTakes()
        throws
    {
        let activity = try #require(Self.design?["activity"])
        let design = MyStudiesDesign(activity)
        #expect(design.problems.isEmpty)
        let decided = Self.bodies.filter { $0.takes != nil }
        #expect(decided.count >= 5_000 && decided.count { $0.takes == false } > 1_000)
        var taken = 0
        for body in decided {
            let errors =
                body.results.array.map { MyStudiesListRows($0, design: design, list: "Welcome").errors } ?? ["no list"]
            taken += errors.isEmpty ? 1 : 0
            #expect(!errors.isEmpty || body.takes == true, "\(body.results.text.prefix(1_500))")
        }
        #expect(taken > 1_000)
    }

    @Test(.enabled(if: server != nil, "SKIPPED: MYSTUDIES_RESPONSE and MYSTUDIES_CLASSPATH name no server"))
    func theReadingSaysWhatTheServersOwnClassesSay() {
        let asked = Self.bodies.filter { $0.app != nil && $0.takes != nil }
        #expect(asked.count >= 5_000)
        for body in asked { #expect(body.app == body.takes, "\(body.results.text.prefix(1_500))") }
    }
}
