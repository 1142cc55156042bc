// SPDX-License-Identifier: Apache-2.0
import Base
import Study

extension PlatformName {
    package static let mystudies = PlatformName(rawValue: "mystudies")
}

/// FDA MyStudies: a study is a list of activities and their metadata; participants join it at the Response
/// server with a token, and the study metadata server says what changes meanwhile. One of
/// `PlatformCatalog.kinds`.
package struct MyStudiesPlatform: StudyPlatform {
    package static let name = PlatformName.mystudies
    package static let title = "FDA MyStudies"
    /// The apps shift runs by how much the phone's UTC offset has changed since they were installed
    /// (`SurveyScheduler.getOffset`, `Schedule.swift`).
    package static let planZone = PlanZone.participant
    package static let table: String? = "mystudies"
    /// Options of an enrolment (token, study) and of its plan (policy, comparisons, dates).
    package static let options = MyStudiesOptions.all
    package static let example: String? =
        "FDA MyStudies: studyd enroll https://wcp.example.org --token ABCDEFGHI --consent consent.json"

    /// What the table says; nil = there is none, and no server is known.
    package let settings: MyStudiesSettings?

    /// Without servers: its studies can be read from folders.
    package init() { settings = nil }

    package init(_ table: any SettingsTable) throws { settings = try MyStudiesSettings(table) }

    package var addressRemedy: String { "correct `response` in [mystudies] of studyd.toml" }

    package var reader: any StudyReader { MyStudiesReader() }
    package var wire: any StudyWire { MyStudiesWire() }
    /// False if the table says `unanswered = "hold"`.
    package var resendsUncertain: Bool { settings?.unanswered != .hold }
    package func server(over device: any PlatformDevice) -> (any StudyServer)? {
        settings.map { MyStudiesServer($0, over: device) }
    }

    /// Certain with a token or a study's id, because the address is then a server's.
    package func claim(_ request: JoinRequest) -> PlatformClaim {
        request.arguments.has(MyStudiesOptions.token.name) || request.arguments.has(MyStudiesOptions.study.name)
            ? .certain : .none
    }

    /// The choices of the table, but for what the command line says.
    package func choices(_ arguments: PlatformArguments) throws -> StudyOptions {
        try MyStudiesOptions.choices(arguments, settings)
    }

    /// Dates that schedules count from.
    package func variables(_ arguments: PlatformArguments, planning study: StudyProtocol) throws -> [String:
        AnswerValue]
    {
        try MyStudiesOptions.anchors(arguments, of: study)
    }

    /// While a study is paused, closed or not begun there are no prompts, and nothing can be begun.
    package func isPause(_ status: String) -> Bool { status.lowercased() != "active" }
    package func isClosed(_ status: String) -> Bool { status.lowercased() == "closed" }
    /// Of a result (FDA-MyStudies/Response 99ba178, `ResponseController`). Rejoining is another participant there.
    package func endsParticipation(_ refusal: String) -> Bool { refusal == "Participant has withdrawn from study" }

    package static let countsProgress = true

    /// Runs done and missed, as the apps count them.
    package func progress(of tasks: [TaskRuns], status: String?, version: String?, at now: Instant) -> ProgressSummary?
    {
        let activities = tasks.map { MyStudiesActivityProgress($0, at: now) }
        let progress = MyStudiesProgress(activities)
        return ProgressSummary(
            line: (status.map { "the study is \($0); " } ?? "")
                + "\(progress.done) runs done, \(progress.missed) missed: completion \(progress.completion) %, adherence \(progress.adherence) %",
            members: [
                .init("studyStatus", .string(status ?? "Active")), .init("studyVersion", .string(version ?? "")),
                .init("completion", .integer(Int64(progress.completion))),
                .init("adherence", .integer(Int64(progress.adherence))),
                .init("activities", .array(activities.map(\.json))),
            ])
    }

    /// With `--strict` the receiver refuses at once what the real platform would find wrong only later.
    package func receiverArguments(playing path: String) -> [String] { ["--mystudies", path, "--strict"] }

    package func rehearsal(
        of study: StudyProtocol, at address: String, token: String?, over device: any PlatformDevice
    ) -> EnrolmentPlan {
        let settings = MyStudiesSettings(response: "\(address)/mystudies")
        let server = MyStudiesServer(settings, over: device)
        return EnrolmentPlan(
            postURL: settings.address(of: "processResponse"),
            join: { try server.enroll(token.flatMap(EnrolmentToken.init), study: study.studyID, sharing: "NA") })
    }
}
