// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// What can be chosen for studies of FDA MyStudies on the command line: token and study of `studyd enroll`, the
/// others of `studyd plan` and `simulate`.
enum MyStudiesOptions {
    static let token = PlatformOption(
        "token", value: "token", .enrolling, help: "FDA MyStudies: the participant's enrolment token.")
    static let study = PlatformOption(
        "study", value: "id", .enrolling, help: "FDA MyStudies: the study's id on the server (default: the token's).")
    private static let policy = PlatformOption(
        "policy", value: "ios|android", .planning,
        help: "FDA MyStudies: which app to follow where the two differ (default: ios).")
    private static let compare = PlatformOption(
        "compare", value: "true|app", .planning,
        help:
            "FDA MyStudies: how branching compares numbers: true (correctly), or app (as the iOS app does) (default: true)."
    )
    private static let anchor = PlatformOption(
        "anchor", value: "name=date", .planning,
        help: "FDA MyStudies: an anchor date for schedules: PROPERTY=2026-03-01 or ACTIVITY/QUESTION=2026-03-01.")
    static let all = [token, study, policy, compare, anchor]

    /// The choices of the `[mystudies]` table, except where the command line says otherwise.
    static func choices(_ arguments: PlatformArguments, _ settings: MyStudiesSettings?) throws -> StudyOptions {
        var options = settings?.options ?? StudyOptions()
        if let name = arguments[policy.name] {
            guard let policy = StudyOptions.Policy(rawValue: name) else {
                throw PlatformArgumentError("unknown app", of: "--policy \(name)", remedy: "use ios or android")
            }
            options.policy = policy
        }
        if let name = arguments[compare.name] {
            guard let comparison = MyStudiesSettings.Comparison(rawValue: name) else {
                throw PlatformArgumentError("unknown way", of: "--compare \(name)", remedy: "use true or app")
            }
            options.comparesLikeTheApp = comparison == .app
        }
        _ = try token(arguments)
        return options
    }

    /// The token, with its letters checked before anything is sent; nil where none was given.
    static func token(_ arguments: PlatformArguments) throws -> EnrolmentToken? {
        try arguments[token.name].map { text in
            guard let token = EnrolmentToken(text) else {
                throw PlatformArgumentError(
                    "invalid token", of: "--token", remedy: "check for a typo (nothing was sent)")
            }
            return token
        }
    }

    /// Dates that a plan is to count from.
    static func anchors(_ arguments: PlatformArguments, of study: StudyProtocol) throws -> [String: AnswerValue] {
        let known = study.anchors?.server.map(\.variable) ?? []
        return try arguments.all(anchor.name).reduce(into: [:]) { values, text in
            let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2, let date = try? LocalDateTime(parsing: parts[1] + "T00:00") else {
                throw PlatformArgumentError(
                    "not a name with a date", of: "--anchor \(text)", remedy: "use NAME=2026-03-01")
            }
            guard let variable = known.first(where: { $0.hasSuffix("/" + parts[0]) }) else {
                let names = known.map { $0.split(separator: "/").dropFirst(2).joined(separator: "/") }
                throw PlatformArgumentError(
                    "no schedule uses it", of: "--anchor \(parts[0])",
                    remedy: "this study has " + (names.isEmpty ? "none" : names.joined(separator: ", ")))
            }
            values[variable] = .dateTime(date)
        }
    }
}

extension StudyOptions {
    package enum Policy: String, Sendable, CaseIterable { case ios, android }

    /// FDA MyStudies: which app's schedules are followed.
    package var policy: Policy {
        get { self[text: "policy"].flatMap(Policy.init) ?? .ios }
        set { self[text: "policy"] = newValue.rawValue }
    }

    /// FDA MyStudies: compare in branching rules as the iOS app does: `gt` as at least one more,
    /// `lt` as at most one less.
    package var comparesLikeTheApp: Bool {
        get { self[flag: "comparesLikeTheApp"] ?? false }
        set { self[flag: "comparesLikeTheApp"] = newValue }
    }

    /// FDA MyStudies: days from the enrolment after which a schedule without an end is not
    /// planned further.
    package var horizon: Int {
        get { self[integer: "horizon"] ?? 1_825 }
        set { self[integer: "horizon"] = newValue }
    }

    /// FDA MyStudies: the language asked for; nil = the server's own.
    package var language: String? {
        get { self[text: "language"] }
        set { self[text: "language"] = newValue }
    }

    /// The same choices, each written out, in the order in which databases of earlier releases have them.
    var writtenOut: StudyOptions {
        var options = StudyOptions()
        options.policy = policy
        options.comparesLikeTheApp = comparesLikeTheApp
        options.horizon = horizon
        options.language = language
        return options
    }
}
