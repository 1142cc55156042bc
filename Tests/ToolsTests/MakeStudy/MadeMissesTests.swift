// SPDX-License-Identifier: Apache-2.0
import Agent
import Base
import Glibc
import Logging
import Study
import SystemKit
import Testing

@testable import studyd_tools

/// A study that is made so that whatever may become of a prompt becomes of one.
@Suite(.timeLimit(.minutes(20))) struct MadeMissesTests {
    /// What the engine knows: reasons by its own enumeration.
    private static let all = Set(
        [Outcome.completed, .expired, .declined, .interrupted] + MissReason.allCases.map(Outcome.missed))

    private static func alerts(_ times: [(Int, Int)], sticky: Bool = false, after minutes: Int, from day: Int = 0)
        -> String
    {
        let list = times.map { "{\"hours\":\($0.0),\"minutes\":\($0.1)}" }.joined(separator: ",")
        return """
            {"title":"t","message":"m","start_offset":\(day),"duration":30,"times":[\(list)],"random":false,"random_interval":0,
            "sticky":\(sticky),"sticky_label":"s","timeout":\(!sticky),"timeout_after":\(minutes * 60_000)}
            """
    }

    private static func module(_ name: String, questions: Int = 1, unlockedBy other: String? = nil, _ alerts: String)
        -> String
    {
        let list = (0..<questions).map {
            """
            {"id":"\(name)-q\($0)","text":"How are you?","type":"slider","min":0,"max":10,"hint_left":"","hint_right":"",
            "required":true,"hide_id":"","hide_value":"","hide_if":true}
            """
        }
        return """
            {"type":"survey","name":"\(name)","submit_text":"Submit","condition":"*","uuid":"\(name)",
            "unlock_after":[\(other.map { "\"\($0)\"" } ?? "")],"shuffle":false,"graph":{"display":false},"alerts":\(alerts),
            "sections":[{"name":"s","shuffle":false,"questions":[\(list.joined(separator: ","))]}]}
            """
    }

    private static let study = """
        {"properties":{"study_name":"Misses","study_id":"MISSES","created_by":"studyd","instructions":"Answer.",
        "post_url":"http://127.0.0.1:9/schema","empty_msg":"Nothing now.","banner_url":"","support_url":"https://example.org/",
        "support_email":"s@example.org","conditions":["*"],"cache":true,"ethics":"","pls":""},"modules":[
        \([
            module("hourly", alerts((0..<24).map { ($0, 5) }, after: 20)),
            module("long", questions: 12, alerts([9, 11, 13, 15, 17, 19].map { ($0, 0) }, after: 60)),
            module("locked", unlockedBy: "secret", alerts([(9, 30)], after: 60)),
            module("secret", alerts([(10, 0)], after: 60, from: 300)),
            module("twice", alerts([(12, 30), (12, 30)], sticky: true, after: 0)),
            module("removed", alerts([(11, 59)], after: 120)),
        ].joined(separator: ","))]}
        """

    /// What became of the prompts of a participant. Once a second is enough to see that a device is worn.
    private static func outcomes(
        _ folder: TemporaryStudy, days: Int, _ decisions: (LocalDate) -> [MadeLife.Decision] = { _ in [] }
    ) async throws -> Set<Outcome> {
        let first = try LocalDate(parsing: "2026-03-02")
        let life = MadeLife(
            number: 2, days: days, from: first, home: try Zone.load("Europe/Berlin"),
            abroad: try Zone.load("Europe/Lisbon"), seed: 1, decisions: decisions(first))
        let made = try MadeBoard(
            """
            [[measure]]
            channel = "accelerometer"
            rate = 1
            rotate = "24h"
            [features]
            is = ["wear"]
            """)
        var participant = Participant(latency: .seconds(90), otherwise: .random)
        (participant.misses, participant.declines, participant.delays) = (0.15, 0.1, 0.05)
        (participant.silences, participant.dawdles, participant.leaves) = (0.04, 0.5, 0.1)
        let device = MadeDevice(
            "P", life, try LoadedStudy.load(folder.study), participant: participant, made.configuration,
            on: made.board, panel: try made.panel, address: "http://127.0.0.1:9", MadeBoard.log)
        _ = try await device.play { _ in }
        let database = try made.database
        #expect(try await database.verifyLog() == nil)
        #expect(try await database.counts().isBalanced)
        var outcomes: Set<Outcome> = []
        for case .concluded(_, let outcome) in try await database.events(limit: 1_000_000).map(\.event) {
            outcomes.insert(outcome)
        }
        return outcomes
    }

    /// A prompt at half past six, and a wall clock that is put from six to seven: east, on the way home.
    /// schema keeps the moments of its prompts, wherever the participant goes (`SchemaJourneysTests`).
    private static func journey() throws -> TemporaryStudy {
        let task = try BoundedFile.text(MadeBoard.package + "/studies/sage/reaction-time.json")
        let plan = """
            platform = "sage"
            identifier = "JOURNEY"
            name = "Journey"
            contact_email = "study@example.org"
            destination = ""
            [[task]]
            file = "task.json"
            title = "Reaction time"
            message = "Now."
            times = ["18:30"]
            expires = "20m"
            last_day = 10
            """
        return try TemporaryStudy(["task.json": task, "study.toml": plan])
    }

    @Test func whateverMayBecomeOfAPromptBecomesOfOne() async throws {
        async let east = Self.outcomes(try Self.journey(), days: 6)
        let found = try await Self.outcomes(TemporaryStudy(["study.json": Self.study]), days: 3) { first in
            [.pause(first.adding(days: 1)), .remove(task: "removed", first.adding(days: 1))]
        }
        let never = Self.all.subtracting(found.union(try await east))
        #expect(never.isEmpty, "never: \(never)")
    }
}

/// A folder with a study, removed with this value.
private final class TemporaryStudy {
    private let folder: TemporaryFolder
    /// The file, or the folder where there are several.
    let study: String

    init(_ files: [String: String]) throws {
        folder = try TemporaryFolder("simulate")
        let place = folder.path + "/study"
        try File.makeFolder(place)
        for (name, text) in files { try AtomicFile.write(Array(text.utf8), toNamed: place + "/" + name) }
        let only = files.count == 1 ? files.keys.first : nil
        study = place + (only.map { "/" + $0 } ?? "")
    }
}
