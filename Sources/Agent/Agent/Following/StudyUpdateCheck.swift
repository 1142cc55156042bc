// SPDX-License-Identifier: Apache-2.0
import Study

/// News of a study, for `UpdateService`: whether this board can run the version in them. Pure.
struct StudyUpdateCheck: Sendable {
    let news: ServerUpdate
    /// A version that this board can run. One of `update` and `refusal` is there at most; neither where the news
    /// have no other version.
    private(set) var update: (loaded: LoadedStudy, version: String)?
    /// A version that this board cannot run, with the reason; the one before stays.
    private(set) var refusal: (version: String, reason: String)?

    /// Reads a new version by the rules of the study's own platform, without `tasks`, which were left out at the
    /// enrolment.
    init(_ news: ServerUpdate, since known: KnownStudy, on panel: Panel, without tasks: [String] = []) {
        self.news = news
        guard let version = news.version, version.bytes != known.bytes else { return }
        do {
            let loaded = try LoadedStudy(version.bytes, origin: known.source, platform: known.study.platform).without(
                tasks)
            let refusals = StudyVerdict(loaded.study, on: panel).refusals
            guard refusals.isEmpty else { throw EnrolmentError.refused(refusals.map(\.text)) }
            update = (loaded, version.text)
        } catch {
            refusal = (version.text, "\(error)")
        }
    }

    var isEmpty: Bool { lines.isEmpty }

    /// For a person, one line each.
    var lines: [String] {
        var lines: [String] = []
        if let status = news.status { lines.append("the study is \(status)") }
        if !news.deleted.isEmpty {
            lines.append("removed from the study: \(news.deleted.sorted().joined(separator: ", "))")
        }
        if let update {
            let clock = update.loaded.study.dependsOnTakeUp ? " and the clock is known" : ""
            lines.append("version \(update.version) of the study takes effect once the panel is idle\(clock)")
        }
        if let refusal { lines.append(Self.line(refusal.version, refusal.reason)) }
        if news.hasNewConsent { lines.append(Self.newConsent) }
        lines += news.messages.map { "message: \($0.spoken)" }
        lines += news.learned.sorted().map { "now known: \($0)" }
        lines += news.faults.map { "not asked: \($0)" }
        return lines
    }

    static func line(_ version: String, _ reason: String) -> String {
        "version \(version) cannot be run on this board: \(reason)"
    }

    /// Consent cannot be given on this device.
    static let newConsent = "the study's consent has changed: the study team must ask the participant"
}
