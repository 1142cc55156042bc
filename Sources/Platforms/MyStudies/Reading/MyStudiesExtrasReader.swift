// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Reads what a study has beside its activities, for `MyStudiesDecoder`: the metadata server's `studyInfo`,
/// `consentDocument`, `resources`, `studyDashboard`, and the `withdrawalConfig` of its activity list.
struct MyStudiesExtrasReader {
    /// Bound memory; more are not read.
    private static let mostResources = 500
    /// Of statistics, and of charts.
    private static let mostFigures = 200
    /// In characters; a leaflet has some thousands.
    private static let longestText = 20_000
    /// In characters; the consent must not be cut.
    private static let longestConsent = 200_000

    let roots: [JSONPlace]
    private(set) var findings: Findings
    /// The anchors from which periods of resources are counted; complete after `resources()`.
    private(set) var resourceSources: Set<MyStudiesFrequency.Anchor.Source> = []

    private func root(with key: String) -> JSONPlace? { roots.lazy.compactMap { $0.member(key) }.first }

    // MARK: - Texts

    /// Name, what the study is, and what was consented to. `settings` is the study's own file, `study.toml` or
    /// `study.json`.
    mutating func texts(_ settings: JSONPlace?) -> StudyTexts {
        var texts = StudyTexts()
        texts.name = settings.map { findings.text("name", in: $0) } ?? ""
        texts.contactEmail = settings.map { findings.text("contact_email", in: $0) } ?? ""
        let info = root(with: "info")?.elements ?? []
        texts.instructions = info.prefix(50).flatMap { [$0.member("title"), $0.member("text")] }
            .map { plain($0) }.filter { !$0.isEmpty }.joined(separator: ". ")
        texts.contactURL = roots.lazy.compactMap { $0.member("studyWebsite")?.text }.first ?? ""
        texts.consent = plain(root(with: "consent")?.member("content"), most: Self.longestConsent)
        return texts
    }

    /// "" where there is none; a text that is cut is remarked on.
    private mutating func plain(_ place: JSONPlace?, most: Int = Self.longestText) -> String {
        guard let place, let html = place.text else { return "" }
        let text = PlainText(escapedHTML: html).text
        let kept = text.prefix(most)
        if kept.endIndex < text.endIndex { findings.assume("only the first \(most) characters are kept", at: place) }
        return String(kept)
    }

    // MARK: - Resources

    mutating func resources() -> [StudyResource] {
        guard let place = root(with: "resources") else { return [] }
        return (place.elements ?? []).prefix(Self.mostResources).enumerated().compactMap { index, place in
            guard place.isObject else { return nil }
            let title = plain(place.member("title"))
            return StudyResource(
                id: place.member("resourcesId")?.text ?? "resource \(index + 1)", title: title,
                text: text(of: place), announcement: plain(place.member("notificationText")),
                window: window(place.member("availability")))
        }
    }

    /// A PDF cannot be shown here: the text says where it is.
    private mutating func text(of place: JSONPlace) -> String {
        guard place.member("type")?.text?.lowercased() == "pdf" else { return plain(place.member("content")) }
        findings.unsupported("this device cannot show a PDF", at: place)
        let content = place.member("content")?.text ?? ""
        return content.hasPrefix("http") ? "PDF: \(content.prefix(500))" : "PDF, available from the study team"
    }

    private mutating func window(_ place: JSONPlace?) -> StudyResource.Window {
        guard let place, place.isObject else { return .always }
        if place.member("availabilityType")?.text == "AnchorDate", let source = anchorSource(place) {
            resourceSources.insert(source)
            return .anchored(
                variable: source.variable, from: dayTime("start", .midnight, in: place),
                to: dayTime("end", MyStudiesRuns.lastSecond, in: place))
        }
        let from = day("availableDate", in: place).map { LocalDateTime($0, .midnight) }
        let to = day("expiryDate", in: place).map { LocalDateTime($0, MyStudiesRuns.lastSecond) }
        return from == nil && to == nil ? .always : .between(from, to)
    }

    private mutating func anchorSource(_ place: JSONPlace) -> MyStudiesFrequency.Anchor.Source? {
        guard place.member("sourceType")?.text ?? "" != "" else {
            // The server leaves it out where a participant property was deactivated (WCP-WS 0b4ae92f, StudyMetaDataDao,
            // resourcesForStudy); iOS then takes the enrolment (9091edbe, Resource.swift, setResourceForStudy).
            findings.assume(
                "names nothing to count from; counted from the enrolment, as on iOS", for: "sourceType", in: place)
            return .enrolment
        }
        return MyStudiesFrequencyReader.anchorSource(place, &findings)
    }

    private func day(_ key: String, in place: JSONPlace) -> LocalDate? {
        place.member(key)?.text.flatMap { MyStudiesDates.date($0.prefix(10)) }
    }

    private mutating func dayTime(
        _ end: String, _ otherwise: LocalTime, in place: JSONPlace
    ) -> StudyResource.DayTime {
        let days = place.member(end + "Days") == nil ? 0 : findings.integer(end + "Days", -36_500...36_500, in: place)
        let time = place.member(end + "Time")?.text.flatMap { MyStudiesDates.time($0) }
        return StudyResource.DayTime(days: days ?? 0, time: time ?? otherwise)
    }

    // MARK: - Leaving

    /// What happens to the data when a participant leaves. Absent or empty: nothing is deleted, as in the apps.
    mutating func withdrawal() -> WithdrawalRule {
        guard let place = root(with: "withdrawalConfig"), let child = place.member("type") else { return .keepsData }
        let message = plain(place.member("message"))
        switch child.text?.lowercased() {
        case "no_action", "": return .keepsData
        case "delete_data": return .deletesData
        case "ask_user": return .asks(message)
        default:
            findings.expected("a withdrawal type: no_action, delete_data, ask_user", at: child)
            return .keepsData
        }
    }

    // MARK: - Dashboard

    mutating func feedback(_ tasks: [StudyTask]) -> StudyFeedback {
        var feedback = StudyFeedback()
        feedback.statistics = statistics(tasks)
        feedback.charts = charts(tasks)
        return feedback
    }

    private mutating func statistics(_ tasks: [StudyTask]) -> [StudyStatistic] {
        elements("statistics").compactMap { place in
            guard let source = source(place, tasks) else { return nil }
            guard let calculation = calculation(place) else { return nil }
            return StudyStatistic(
                title: name(of: place) ?? source.task, unit: plain(place.member("unit")), calculation: calculation,
                task: source.task, question: source.question, part: source.part)
        }
    }

    private mutating func charts(_ tasks: [StudyTask]) -> [StudyChart] {
        elements("charts").compactMap { place in
            guard let source = source(place, tasks) else { return nil }
            let range = place.member("dataSource")?.member("timeRangeType")?.text ?? ""
            return StudyChart(
                task: source.task, part: source.part,
                graph: GraphDescription(
                    kind: place.member("type")?.text?.hasPrefix("bar") ?? false ? .bar : .line,
                    question: source.question, title: name(of: place) ?? source.task, blurb: "",
                    maximumPoints: Self.points[range] ?? 0))
        }
    }

    private mutating func name(of place: JSONPlace) -> String? {
        ["displayName", "title"].lazy.compactMap { place.member($0) }.first { $0.text != nil }.map { plain($0) }
    }

    /// The apps draw a page for each week, month or year; here the latest answers are listed below
    /// each other.
    private static let points = [
        "days_of_week": 7, "days_of_month": 31, "weeks_of_month": 5, "months_of_year": 12, "hours_of_day": 24,
    ]

    private func elements(_ key: String) -> [JSONPlace] {
        Array((root(with: "dashboard")?.member(key)?.elements ?? []).prefix(Self.mostFigures))
    }

    private mutating func calculation(_ place: JSONPlace) -> StudyStatistic.Calculation? {
        switch place.member("calculation")?.text?.lowercased() {
        case "summation", "sum": return .sum
        case "average", "mean": return .average
        case "maximum", "max": return .maximum
        case "minimum", "min": return .minimum
        default:
            findings.unsupported(
                "a calculation other than Summation, Average, Maximum, Minimum is not shown", at: place)
            return nil
        }
    }

    private mutating func source(
        _ place: JSONPlace, _ tasks: [StudyTask]
    ) -> (task: String, question: String, part: String?)? {
        guard let source = place.member("dataSource"),
            let id = source.member("activity")?.member("activityId")?.text,
            let task = tasks.first(where: { $0.key == id })
        else {
            findings.unsupported("it belongs to an activity this study does not have, and is not shown", at: place)
            return nil
        }
        let key = source.member("key")?.text ?? ""
        let steps = task.content.steps
        // A question of a form is named by its own key, which no other step of the activity has.
        let questions = steps.filter { $0.format.isQuestion && !$0.isOther && !$0.isMore }
        if let step = questions.first(where: { $0.key == key }) ?? questions.first(where: { $0.ownKey == key }) {
            return (id, step.key, nil)
        }
        // Of a span test the server names one value (`part`); any other active task it names as a whole.
        if let step = steps.first(where: { if case .active = $0.format { true } else { false } }) {
            return (id, step.key, key == step.key || key.isEmpty ? nil : key)
        }
        findings.unsupported("\(id) has no question \(key); it is not shown", at: place)
        return nil
    }
}
