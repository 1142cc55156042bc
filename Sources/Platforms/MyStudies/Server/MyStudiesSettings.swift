// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import SystemKit

/// How the servers of FDA MyStudies are reached: the `[mystudies]` table of studyd.toml, which
/// `MyStudiesPlatform` reads.
package struct MyStudiesSettings: Sendable, Hashable {
    /// The Response server, up to the part before `/response-enroll.api`.
    private let response: String
    /// `response`, or the older `mobileappstudy` that shipped apps still use.
    private let controller: String
    /// The application's bundle id at the study metadata server; it must be known there as an `ios`
    /// one for the device to get every task.
    package let application: String?
    /// The file with the application's secret: absolute, or the name of a systemd credential. Never
    /// printed or logged.
    package let credential: String?
    /// Sent as the header `orgId`; empty where the servers ask for none.
    package let organisation: String
    /// Sent as the header `language`.
    package let language: String?
    /// The study metadata server that is asked for news; nil = the address the study
    /// was enrolled from.
    package let metadata: String?
    /// How often it is asked; at least a minute.
    package let poll: Duration
    /// The zone in which the Response server writes dates.
    package let zone: String
    /// Which app is followed where they differ, and how numbers are compared.
    package let options: StudyOptions
    /// What happens with a run that was sent without an answer coming back.
    package let unanswered: Unanswered
    /// The registration server that gets the progress; nil = none.
    package let registration: MyStudiesRegistrationSettings?

    /// The choice exists because the server stores a run that comes twice two times, without saying so.
    package enum Unanswered: String, Sendable, CaseIterable {
        /// Nothing is lost; the server may have the same run twice, with the same times.
        case sendAgain = "send-again"
        /// Nothing is doubled; the run waits for a decision.
        case hold
    }

    /// The zone in which the iOS app, too, reads its server's dates.
    private static let defaultZone = "America/New_York"

    /// A Response server that needs no application: a lab's own.
    package init(response: String) {
        self.response = response
        controller = "response"
        (application, credential, language) = (nil, nil, nil)
        organisation = ""
        options = StudyOptions().writtenOut
        (metadata, poll, zone, unanswered, registration) = (nil, .seconds(3_600), Self.defaultZone, .sendAgain, nil)
    }

    init(_ table: any SettingsTable) throws {
        response = try table.required("response", table.string("response"))
        guard response.hasPrefix("http://") || response.hasPrefix("https://"), !response.hasSuffix("/") else {
            throw table.complaint("response", "is not an address; use one with https:// and without a trailing slash")
        }
        controller = try table.string("controller") ?? "response"
        guard ["response", "mobileappstudy"].contains(controller) else {
            throw table.complaint("controller", "is '\(controller)'; the server knows response and mobileappstudy")
        }
        application = try table.string("application")
        credential = try table.string("credential")
        language = try table.string("language")
        organisation = try table.string("organisation") ?? ""
        metadata = try table.string("metadata")
        poll = .seconds(try table.integer("poll_minutes", in: 1...10_080) ?? 60) * 60
        zone = try table.string("zone") ?? Self.defaultZone
        if (try? Zone.load(zone)) == nil {
            throw table.complaint(
                "zone", "is '\(zone)', which is not a time zone; use e.g. America/New_York")
        }
        options = try Self.options(table, language: language)
        unanswered = try table.choice("unanswered", Unanswered.self) ?? .sendAgain
        registration = try table.section("registration").map(MyStudiesRegistrationSettings.init)
        guard (application == nil) == (credential == nil) else {
            throw table.complaint("application", "and credential go together; set both or neither")
        }
    }

    /// Values of the key `compare`: whether destinations compare numbers truly, or as the iOS app does.
    enum Comparison: String, CaseIterable {
        case exact = "true"
        case app
    }

    private static func options(_ table: any SettingsTable, language: String?) throws -> StudyOptions {
        var options = StudyOptions()
        options.policy = try table.choice("policy", StudyOptions.Policy.self) ?? .ios
        options.comparesLikeTheApp = try table.choice("compare", Comparison.self) == .app
        if let horizon = try table.integer("horizon_days", in: 1...36_500) { options.horizon = horizon }
        options.language = language
        return options.writtenOut
    }

    /// The address of an action of the Response server: `enroll`, `processResponse`.
    package func address(of action: String) -> String { "\(response)/\(controller)-\(action).api" }

    /// What the apps send with every call to any of the servers; no secret.
    var headers: [WireRequest.Header] {
        var headers = [WireRequest.Header(name: "orgId", value: organisation)]
        if let application { headers.append(.init(name: "applicationId", value: application)) }
        if let language { headers.append(.init(name: "language", value: language)) }
        return headers
    }
}
